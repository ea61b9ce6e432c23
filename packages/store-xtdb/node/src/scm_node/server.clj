(ns scm-node.server
  "XTDB over HTTP on this machine, with the HTTP server of the JDK."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.tools.logging :as log]
            [scm-node.erasing :as erasing]
            [scm-node.errors :as errors]
            [scm-node.formats :as formats]
            [scm-node.json :as json]
            [scm-node.parameters :as parameters]
            [scm-node.presence :as presence]
            [scm-node.routes :as routes]
            [scm-node.run-file :as run-file]
            [scm-node.token :as token]
            [scm-node.transactions :as transactions]
            [scm-node.waiting :as waiting]
            [xtdb.system :as sys])
  (:import (com.sun.net.httpserver HttpExchange HttpHandler HttpServer)
           (java.io ByteArrayOutputStream Closeable)
           (java.lang ProcessHandle)
           (java.net InetSocketAddress URI)
           (java.util.concurrent LinkedBlockingQueue ThreadPoolExecutor TimeUnit)
           (java.util.concurrent.atomic AtomicInteger)))

(set! *warn-on-reflection* true)

(defn- header [^HttpExchange exchange ^String k]
  (.getFirst (.getRequestHeaders exchange) k))

(defn- own-host?
  "Whether the Host header names this machine. After DNS rebinding, a web page elsewhere sends another host name."
  [host-header configured-host]
  (when host-header
    (let [host (str/lower-case (str/replace host-header #":\d*$" ""))]
      (or (= configured-host host)
          (contains? #{"localhost" "127.0.0.1" "[::1]"} host)))))

(defn- read-body
  "Returns the body of a request. A body beyond the limit is read to its end, so that the sender receives the refusal."
  [^HttpExchange exchange most-bytes]
  (let [in (.getRequestBody exchange)
        out (ByteArrayOutputStream.)
        buffer (byte-array 65536)]
    (loop [total 0]
      (let [n (.read in buffer)]
        (if (neg? n)
          (if (> total most-bytes)
            (throw (ex-info "too large" {::errors/too-large {:error (str "The body has more than " most-bytes " bytes.")}}))
            (.toByteArray out))
          (do
            (when (<= (+ total n) most-bytes)
              (.write out buffer 0 n))
            (recur (+ total n))))))))

(defn- send-bytes [^HttpExchange exchange status content-type ^bytes body]
  (when content-type
    (.set (.getResponseHeaders exchange) "Content-Type" content-type))
  (.sendResponseHeaders exchange status (if (zero? (alength body)) -1 (alength body)))
  (when (pos? (alength body))
    (with-open [out (.getResponseBody exchange)]
      (.write out body))))

(defn- content-type [format]
  (str format ";charset=utf-8"))

(defn- json-form [^HttpExchange exchange json value]
  (cond
    json (json value)
    (routes/plain-json (.getPath ^URI (.getRequestURI exchange))) value
    :else (json/camel-case-keys value)))

(defn- send-value [exchange format {:keys [status value json]}]
  ;; Encoded before the headers are sent, so that a failure becomes an error and not an incomplete answer.
  (let [body (formats/encode format (if (= formats/json-type format) (json-form exchange json value) value))]
    (send-bytes exchange status (content-type format) body)))

(defn- send-cursor [^HttpExchange exchange format {:keys [status ^Closeable cursor json]}]
  (with-open [_ cursor]
    (let [items (or (iterator-seq cursor) '())]
      (.set (.getResponseHeaders exchange) "Content-Type" (content-type format))
      (.sendResponseHeaders exchange status 0)
      (with-open [out (io/output-stream (.getResponseBody exchange))]
        (formats/write-to out format (if (and json (= formats/json-type format)) (map json items) items))))))

(defn- send-text [exchange status text]
  (send-bytes exchange status "text/plain;charset=utf-8" (.getBytes ^String text "UTF-8")))

(defn- report-watched
  "Answers the header `Scm-Watch: ID` with the last transaction that changed that document. It is read after the answer,
  so if it is the one that the client knows, no later change of the document is in the answer."
  [context ^HttpExchange exchange]
  (when-let [id (header exchange "Scm-Watch")]
    (.set (.getResponseHeaders exchange) "Scm-Watched" (str (routes/last-change context id)))))

(defn- answer [context ^HttpExchange exchange handler]
  (if-let [format (formats/accepted (header exchange "Accept"))]
    (let [answered (try
                     (handler context
                              {:query (parameters/parse (.getRawQuery ^URI (.getRequestURI exchange)))
                               :content-type (formats/media-type (header exchange "Content-Type"))
                               :prefer (header exchange "Prefer")
                               :evict-space (header exchange "Scm-Evict")
                               :body (read-body exchange (get-in context [:options :max-body-bytes]))})
                     (catch Throwable e
                       (errors/answer e)))]
      (report-watched context exchange)
      (if (:cursor answered)
        (send-cursor exchange format answered)
        (try
          (send-value exchange format answered)
          (catch java.io.IOException e (throw e))
          (catch Throwable e
            (send-value exchange format (errors/answer e))))))
    (send-text exchange 406 (str "The node supports " formats/edn-type ", " formats/transit-type " and " formats/json-type "."))))

(defn- own-route
  "Returns the address and the instance of this node to a process that is about to use it."
  [{:keys [presence options]} _]
  (if (presence/join presence)
    {:status 200 :value (:facts options)}
    {:status 503 :value {:error "This node is stopping."}}))

(defn- erase-route [context _]
  (erasing/erase context)
  {:status 200 :value {:erased true}})

(def ^:private all-routes
  (assoc routes/routes
         "/_scm/node" {"GET" own-route}
         "/_scm/erase" {"POST" erase-route}))

(defn- route [context ^HttpExchange exchange]
  (let [path (.getPath ^URI (.getRequestURI exchange))
        methods (get all-routes path)
        handler (get methods (.getRequestMethod exchange))]
    (cond
      (not (own-host? (header exchange "Host") (get-in context [:options :host])))
      (send-text exchange 421 "The Host header names another machine; use a name of the machine on which this node runs.")

      (not (token/given? (:token context) (header exchange "Authorization")))
      (do
        (.set (.getResponseHeaders exchange) "WWW-Authenticate" "Bearer")
        (send-text exchange 401 "The token is missing or wrong. Send the header Authorization: Bearer TOKEN; the node's token file has the token."))

      (nil? methods) (send-text exchange 404 "There is no such route.")

      (nil? handler) (do
                       (.set (.getResponseHeaders exchange) "Allow" (str/join ", " (keys methods)))
                       (send-text exchange 405 "This route does not support the method; the Allow header lists its methods."))

      :else (answer context exchange handler))))

(defn- http-handler [context]
  (reify HttpHandler
    (handle [_ exchange]
      (try
        (route context exchange)
        (catch java.io.IOException e
          ;; The client has closed the connection.
          (log/debug e "An answer could not be sent"))
        (catch Throwable e
          (log/error e "A request failed after its answer had begun"))
        (finally
          (.close exchange))))))

(defn- thread-pool ^ThreadPoolExecutor [threads]
  (let [number (AtomicInteger.)]
    (doto (ThreadPoolExecutor. (int threads) (int threads) 30 TimeUnit/SECONDS (LinkedBlockingQueue.)
                               (reify java.util.concurrent.ThreadFactory
                                 (newThread [_ task]
                                   (Thread. task (str "scm-node-http-" (.incrementAndGet number))))))
      (.allowCoreThreadTimeOut true))))

(defn ->server {::sys/deps {:node :xtdb/node
                            :presence `presence/->presence}
                ::sys/args {:host {:doc "Address to listen on" :default "127.0.0.1" :spec ::sys/string}
                            :port {:doc "Port to listen on, 0 for a free one" :default 0 :spec ::sys/nat-int}
                            :threads {:doc "Number of requests that are answered at the same time" :default 128 :spec ::sys/pos-int}
                            :submitters {:doc "Number of transactions that are submitted at the same time, less than the database's connections" :default 1 :spec ::sys/pos-int}
                            :read-only? {:doc "Whether the node refuses to submit" :default false :spec ::sys/boolean}
                            :allow-evict? {:doc "Whether clients may evict" :default false :spec ::sys/boolean}
                            :max-body-bytes {:doc "Size of the largest body in bytes" :default (* 32 1024 1024) :spec ::sys/pos-int}
                            :default-await-ms {:doc "Longest wait in milliseconds" :default 60000 :spec ::sys/pos-int}
                            :token-file {:doc "File with the token that every request must have" :required? true :spec ::sys/string}
                            :run-file {:doc "File with the node's address, while it listens" :spec ::sys/string}
                            :instance {:doc "Id that distinguishes this start of the node from others" :spec ::sys/string}}}
  [{:keys [node presence host port threads submitters default-await-ms token-file run-file instance] :as options}]
  ;; The JDK reads this property when it loads the server. Without it every answer waits 40 ms for an acknowledgement.
  (System/setProperty "sun.net.httpserver.nodelay" "true")
  (let [pool (thread-pool threads)
        server (HttpServer/create (InetSocketAddress. ^String host (int port)) 128)
        url (str "http://" host ":" (.getPort (.getAddress server)))
        facts {:url url :pid (.pid (ProcessHandle/current)) :instance instance}
        context {:node node
                 :presence presence
                 :token (token/read-file token-file)
                 :waiting (waiting/waiting threads default-await-ms)
                 :submitting (transactions/submitting submitters)
                 :options (assoc (select-keys options [:host :read-only? :allow-evict? :max-body-bytes])
                                 :facts facts)}]
    (.createContext server "/" (http-handler context))
    (.setExecutor server pool)
    (.start server)
    (some-> run-file (run-file/write facts))
    (log/info "Listening on" url)
    (reify Closeable
      (close [_]
        (some-> run-file (run-file/remove-own instance))
        (.stop server 0)
        (.shutdownNow pool)
        (.awaitTermination pool 5 TimeUnit/SECONDS)))))
