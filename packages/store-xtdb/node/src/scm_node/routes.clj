(ns scm-node.routes
  "The routes below /_xtdb, modelled on XTDB's own HTTP server.

  A handler takes the context of the node (`:node`, `:waiting`, `:submitting`, `:options`) and a request (`:query`, `:content-type`,
  `:prefer`, `:evict-space`, `:body`). It returns `:status` and `:value`, or `:cursor` for an answer that is written while it is read. If the
  answer is JSON, `:json` is applied to the value, or to each item of the cursor."
  (:require [clojure.tools.logging :as log]
            [scm-node.formats :as formats]
            [scm-node.json :as json]
            [scm-node.parameters :as parameters]
            [scm-node.transactions :as transactions]
            [scm-node.waiting :as waiting]
            [xtdb.api :as xt])
  (:import (java.io Closeable)))

(set! *warn-on-reflection* true)

(defn- ok [value]
  {:status 200 :value value})

(defn- not-found [message]
  {:status 404 :value {:error message}})

(defn- present [m]
  (into {} (filter (comp some? val)) m))

(defn- basis [query]
  (present {::xt/valid-time (parameters/date query :valid-time)
            ::xt/tx (not-empty (present {::xt/tx-time (parameters/date query :tx-time)
                                         ::xt/tx-id (parameters/whole-number query :tx-id)}))}))

(defn- db-of [{:keys [node] :as context} query]
  (waiting/await-asked context query)
  (xt/db node (basis query)))

(defn- realized [^Closeable cursor]
  (with-open [_ cursor]
    (or (seq (doall (iterator-seq cursor))) '())))

(defn- status [{:keys [node]} _]
  (ok (xt/status node)))

(defn- attribute-stats [{:keys [node]} _]
  {:status 200 :value (xt/attribute-stats node)})

(defn- db [context {:keys [query]}]
  (let [db (db-of context query)]
    (ok (merge {::xt/valid-time (xt/valid-time db)} (xt/db-basis db)))))

(defn- history-options [query]
  (let [bound (fn [time-key id-key]
                (not-empty (present {::xt/tx-time (parameters/date query time-key)
                                     ::xt/tx-id (parameters/whole-number query id-key)})))]
    {:with-corrections? (parameters/truth query :with-corrections)
     :with-docs? (parameters/truth query :with-docs)
     :start-valid-time (parameters/date query :start-valid-time)
     :start-tx (bound :start-tx-time :start-tx-id)
     :end-valid-time (parameters/date query :end-valid-time)
     :end-tx (bound :end-tx-time :end-tx-id)}))

(defn- sort-order-of [query]
  ;; XTDB refuses another order too, but only after it has opened a resource that it then never closes.
  (case (:sort-order query)
    "asc" :asc
    "desc" :desc
    (throw (IllegalArgumentException. "sortOrder must be asc or desc"))))

(defn- history [context id query]
  (let [sort-order (sort-order-of query)
        options (history-options query)
        entries (realized (xt/open-entity-history (db-of context query) id sort-order options))]
    {:status 200 :value entries :json #(map json/camel-case-keys %)}))

(defn- entity [context {:keys [query]}]
  (let [id (parameters/entity-id query)]
    (cond
      (nil? id) {:status 400 :value {:xtdb.error/error-type :illegal-argument
                                     :xtdb.error/error-key :missing-eid
                                     :xtdb.error/message "Missing eid"}}
      (parameters/truth query :history) (history context id query)
      :else (if-let [document (not-empty (xt/entity (db-of context query) id))]
              {:status 200 :value document}
              (not-found (str id " entity not found"))))))

(defn- entity-tx [context {:keys [query]}]
  (let [id (parameters/required (parameters/entity-id query) :eid)]
    (if-let [found (xt/entity-tx (db-of context query) id)]
      (ok found)
      (not-found (str id " entity-tx not found")))))

(defn- run-query [context query asked in-args]
  (when (nil? asked)
    (parameters/refuse-parameter :body-params "query is missing"))
  (when-not (or (nil? in-args) (sequential? in-args))
    (parameters/refuse-parameter :body-params "in-args must be a list"))
  {:status 200
   :value (realized (apply xt/open-q (db-of context query) asked in-args))})

(defn- get-query [context {:keys [query]}]
  (run-query context
             query
             (parameters/edn query :query-edn)
             (or (parameters/edn query :in-args-edn)
                 (parameters/json query :in-args-json))))

(defn- post-query [context {:keys [query content-type body]}]
  (when-not (#{formats/edn-type formats/transit-type} content-type)
    (parameters/refuse-parameter :body-params "the body has another type; send the query as EDN or transit"))
  (let [asked (transactions/decode-body content-type body)]
    (when-not (map? asked)
      (parameters/refuse-parameter :body-params "query is missing"))
    (run-query context query (:query asked) (:in-args asked))))

(defn- preferred-wait
  "Returns the milliseconds that a request prefers to wait (RFC 7240), or nil if it does not contain a preference."
  [prefer]
  (when-let [[_ seconds] (some->> prefer (re-find #"(?i)(?:^|[,;\s])wait\s*=\s*(\d{1,4})(?!\d)"))]
    (* 1000 (parse-long seconds))))

(defn- whether-committed
  "Returns a transaction with `:tx-committed?` if the outcome is known in time. The transaction is in the log in any case,
  so a failed wait is not a failure of the submit."
  [{:keys [node] :as context} tx milliseconds]
  (try
    (waiting/await-tx context (::xt/tx-id tx) milliseconds)
    (assoc tx :tx-committed? (xt/tx-committed? node tx))
    (catch Exception e
      (log/debug e "A submit was answered before it was indexed")
      tx)))

(defn- submit-tx [{:keys [options] :as context} {:keys [content-type body prefer evict-space]}]
  (when (:read-only? options)
    (throw (ex-info "read only" {::read-only {:error "This node is read only."}})))
  (when-not (#{formats/json-type formats/edn-type formats/transit-type} content-type)
    (parameters/refuse-parameter :body-params "the body has another Content-Type; send the transaction as JSON, transit or EDN with its Content-Type"))
  (let [ops (transactions/decode-ops content-type body (assoc options :evict-space evict-space))
        tx (transactions/submit context ops)]
    {:status 202 :value (if-let [milliseconds (preferred-wait prefer)]
                          (whether-committed context tx milliseconds)
                          tx)}))

(defn- tx-committed [{:keys [node] :as context} {:keys [query]}]
  (let [tx-id (parameters/required (parameters/whole-number query :tx-id) :tx-id)]
    (waiting/await-asked context query)
    (ok {:tx-committed? (xt/tx-committed? node {::xt/tx-id tx-id})})))

(defn- await-tx [context {:keys [query]}]
  (ok (waiting/await-tx context
                        (parameters/required (parameters/whole-number query :tx-id) :tx-id)
                        (parameters/whole-number query :timeout))))

(defn- await-tx-time [{:keys [node waiting]} {:keys [query]}]
  (let [tx-time (parameters/required (parameters/date query :tx-time) :tx-time)
        timeout (parameters/whole-number query :timeout)]
    (ok {::xt/tx-time (waiting/wait-with waiting timeout #(xt/await-tx-time node tx-time %))})))

(defn- sync-node [{:keys [node waiting]} {:keys [query]}]
  (let [timeout (parameters/whole-number query :timeout)
        tx-time (parameters/date query :tx-time)]
    (ok {::xt/tx-time (waiting/wait-with waiting timeout #(if tx-time
                                                            (xt/await-tx-time node tx-time %)
                                                            (xt/sync node %)))})))

(defn- latest-completed-tx [{:keys [node]} _]
  (if-let [tx (xt/latest-completed-tx node)]
    (ok tx)
    (not-found "No latest-completed-tx found.")))

(defn- latest-submitted-tx [{:keys [node]} _]
  (if-let [tx (xt/latest-submitted-tx node)]
    (ok tx)
    (not-found "No latest-submitted-tx found.")))

(defn- logged-tx->json [tx]
  (let [named (fn [ops] (mapv #(update (vec %) 0 name) ops))]
    (json/camel-case-keys
     (cond-> tx
       (::xt/tx-ops tx) (update ::xt/tx-ops named)
       (::xt/tx-events tx) (update ::xt/tx-events named)))))

(defn- tx-log [{:keys [node] :as context} {:keys [query]}]
  (let [after (parameters/whole-number query :after-tx-id)
        with-ops? (parameters/truth query :with-ops?)]
    (waiting/await-asked context query)
    {:status 200 :cursor (xt/open-tx-log node after (boolean with-ops?)) :json logged-tx->json}))

(defn last-change
  "Returns the transaction that last changed a document, or 0 if it does not exist."
  [{:keys [node]} id]
  (or (::xt/tx-id (xt/entity-tx (xt/db node) id)) 0))

(def plain-json
  "Paths whose JSON answers keep the names of keys. On all other paths the keys of the first level, also in errors, are in
  camel case."
  #{"/_xtdb/entity" "/_xtdb/query" "/_xtdb/attribute-stats"})

(def routes
  "Handlers by path and method."
  {"/_xtdb/status" {"GET" status}
   "/_xtdb/attribute-stats" {"GET" attribute-stats}
   "/_xtdb/db" {"GET" db}
   "/_xtdb/entity" {"GET" entity}
   "/_xtdb/entity-tx" {"GET" entity-tx}
   "/_xtdb/query" {"GET" get-query "POST" post-query}
   "/_xtdb/submit-tx" {"POST" submit-tx}
   "/_xtdb/tx-committed" {"GET" tx-committed}
   "/_xtdb/await-tx" {"GET" await-tx}
   "/_xtdb/await-tx-time" {"GET" await-tx-time}
   "/_xtdb/sync" {"GET" sync-node}
   "/_xtdb/latest-completed-tx" {"GET" latest-completed-tx}
   "/_xtdb/latest-submitted-tx" {"GET" latest-submitted-tx}
   "/_xtdb/tx-log" {"GET" tx-log}})
