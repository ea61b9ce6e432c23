(ns scm-node.errors
  "The answers to failed requests."
  (:require [clojure.tools.logging :as log]
            [scm-node.erasing :as erasing]
            [scm-node.json :as json]
            [scm-node.parameters :as parameters]
            [scm-node.routes :as routes]
            [scm-node.transactions :as transactions]
            [scm-node.waiting :as waiting]))

(set! *warn-on-reflection* true)

(def ^:private statuses
  "The status of a refusal by this node, by the key of the error's data."
  {::parameters/refusal 400
   ::transactions/malformed 400
   ::transactions/refusal 403
   ::routes/read-only 403
   ::too-large 413
   ::erasing/unfinished 503
   ::waiting/too-many 503})

(defn- refusal [error]
  (let [data (ex-data error)]
    (some (fn [[k status]]
            (when-let [value (get data k)]
              {:status status :value value}))
          statuses)))

(def ^:private damages
  "What is damaged, by a pattern in the message of an error or of one of its causes."
  {#"^Thaw failed" "a document in its database cannot be decoded"
   #"SQLITE_(?:CORRUPT|NOTADB)" "its database is malformed"
   #"^Corruption: |checksum mismatch" "its index is damaged"})

(defn- damage [error]
  (let [messages (keep ex-message (take-while some? (iterate ex-cause error)))]
    (some (fn [[pattern what]]
            (when (some #(re-find pattern %) messages) what))
          damages)))

(defn answer
  "Returns the answer for an error: 400 if XTDB rejects the request, 500 if the node fails. The answer says if the data of
  the node are damaged."
  [^Throwable error]
  (or (refusal error)
      (when (or (instance? xtdb.IllegalArgumentException error)
                (instance? xtdb.api.NodeOutOfSyncException error))
        {:status 400 :value (ex-data error)})
      (do
        (when-not (instance? java.util.concurrent.TimeoutException error)
          (log/error error "A request failed"))
        {:status 500
         :value (cond-> {:type "exception" :class (.getName (class error))}
                  (damage error) (assoc :damage (damage error)))})))
