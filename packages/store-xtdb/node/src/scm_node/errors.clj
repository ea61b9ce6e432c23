(ns scm-node.errors
  "What is answered to a request that fails."
  (:require [clojure.tools.logging :as log]
            [scm-node.json :as json]
            [scm-node.parameters :as parameters]
            [scm-node.routes :as routes]
            [scm-node.transactions :as transactions]
            [scm-node.waiting :as waiting]))

(set! *warn-on-reflection* true)

(def ^:private statuses
  "The status for a refusal of ours, by the key of its data."
  {::parameters/refusal 400
   ::transactions/malformed 400
   ::transactions/refusal 403
   ::routes/read-only 403
   ::too-large 413
   ::waiting/too-many 503})

(defn- refusal [error]
  (let [data (ex-data error)]
    (some (fn [[k status]]
            (when-let [value (get data k)]
              {:status status :value value}))
          statuses)))

(defn answer
  "The answer for an error: what XTDB says about a request is 400, what goes wrong in the node 500."
  [^Throwable error]
  (or (refusal error)
      (when (or (instance? xtdb.IllegalArgumentException error)
                (instance? xtdb.api.NodeOutOfSyncException error))
        {:status 400 :value (ex-data error)})
      (do
        (when-not (instance? java.util.concurrent.TimeoutException error)
          (log/error error "A request failed"))
        {:status 500 :value {:type "exception" :class (.getName (class error))}})))
