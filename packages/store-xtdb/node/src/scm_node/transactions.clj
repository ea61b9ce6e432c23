(ns scm-node.transactions
  "Submitted transactions: they are decoded, checked, and submitted again after a deadlock."
  (:require [clojure.instant :as instant]
            [clojure.string :as str]
            [clojure.tools.logging :as log]
            [scm-node.formats :as formats]
            [scm-node.parameters :as parameters]
            [xtdb.api :as xt]
            [xtdb.tx.conform :as conform])
  (:import (java.sql SQLException)
           (java.util.concurrent Semaphore ThreadLocalRandom)))

(set! *warn-on-reflection* true)

(defn- malformed [media-type cause]
  (ex-info "malformed body"
           {::malformed {:error (str "Malformed " (pr-str media-type) " request.")
                         :message (ex-message cause)}}
           cause))

(defn decode-body
  "Returns the value of a body. An error that the body did not cause, such as a lack of memory, is not caught."
  [media-type body]
  (try
    (formats/decode media-type body)
    (catch Exception e
      (throw (malformed media-type e)))
    (catch StackOverflowError e
      (throw (malformed media-type e)))))

(def ^:private json-decoders
  {::conform/->valid-time (fn [text]
                            (try
                              (instant/read-instant-date text)
                              (catch Exception _ text)))})

(defn- json-op->op [op]
  (if (and (vector? op) (string? (first op)))
    (update op 0 #(keyword "xtdb.api" %))
    (throw (IllegalArgumentException. (str "an operation must be a list that begins with its name: " (pr-str op))))))

(defn- typed-json-op [op]
  (conform/->tx-op (conform/conform-tx-op op json-decoders)))

(defn- refuse [error-key message]
  (throw (ex-info message {::refusal {:xtdb.error/error-type :refused
                                      :xtdb.error/error-key error-key
                                      :xtdb.error/message message}})))

(defn- reserved-key? [k]
  (when (keyword? k)
    (when-let [space (namespace k)]
      (or (and (= "xt" space) (not= :xt/id k))
          (str/starts-with? space "crux")
          (str/starts-with? space "xtdb")))))

(defn- check-documents [op]
  (doseq [document (rest op)
          :when (map? document)
          k (keys document)
          :when (reserved-key? k)]
    (refuse :reserved-attribute
            (str "the attribute " k " is reserved by XTDB; remove it, because :xt/id is the only reserved attribute that a document may have"))))

(defn- in-space?
  "Whether an id belongs to the store with the given name. No name has characters that end a part of an id."
  [id space]
  (boolean (and space
                (re-matches #"[a-z][a-z0-9-]{0,40}" space)
                (string? id)
                (str/starts-with? id (str space "/")))))

(defn- check-op [op {:keys [allow-evict? evict-space]}]
  (when (sequential? op)
    (case (first op)
      :xtdb.api/fn (refuse :transaction-function "this node does not run transaction functions; use match and put")
      :xtdb.api/evict (when-not (or allow-evict? (in-space? (second op) evict-space))
                        (refuse :evict "this node evicts only for the rewrite of a store; start it with :allow-evict? to permit any eviction"))
      (:xtdb.api/put :xtdb.api/match :xtdb.api/cas) (check-documents op)
      nil)))

(defn decode-ops
  "Returns the transaction operations of a body. With `allow-evict?` they may evict any document, and with `evict-space`
  those of the store with that name."
  [media-type body permitted]
  (let [json? (= formats/json-type media-type)
        decoded (decode-body media-type body)
        ops (when (map? decoded) (:tx-ops decoded))]
    (when-not (sequential? ops)
      (parameters/refuse-parameter :body-params "tx-ops, a list of operations, is missing"))
    (let [ops (if json?
                (try
                  (mapv json-op->op ops)
                  (catch Exception e
                    (throw (malformed media-type e))))
                (vec ops))]
      (run! #(check-op % permitted) ops)
      (if json?
        (try
          (mapv typed-json-op ops)
          (catch Exception e
            (throw (malformed media-type e))))
        ops))))

(defn- deadlock? [^Throwable error]
  (->> error
       (iterate #(some-> ^Throwable % .getCause))
       (take-while some?)
       (some #(and (instance? SQLException %)
                   (contains? #{"40P01" "40001"} (.getSQLState ^SQLException %))))))

(def ^:private most-attempts 8)

(defn submitting
  "Returns a semaphore that limits concurrent submits. In the database they wait for each other anyway: PostgreSQL locks
  the table, and two submits of the same document block it for a second until the deadlock is found. Each submit also
  holds a connection that the indexer needs. An indexer that gets none for 30 seconds stops for good. The default is
  therefore one submit at a time."
  [most]
  {:places (Semaphore. most true) :most most})

(defn while-none-is-submitted
  "Calls a function while no transaction is submitted. Submits wait for its end."
  [{{:keys [^Semaphore places most]} :submitting} work]
  (.acquire places (int most))
  (try
    (work)
    (finally
      (.release places (int most)))))

(defn- submit-once [node {:keys [^Semaphore places]} ops]
  (.acquire places)
  (try
    (xt/submit-tx node ops)
    (finally
      (.release places))))

(defn submit
  "Submits operations. PostgreSQL reports a deadlock for one of two concurrent submits of the same document. It has rolled
  that submit back, so the submit can safely be repeated."
  [{:keys [node submitting]} ops]
  (loop [attempt 1]
    (let [answer (try
                   (submit-once node submitting ops)
                   (catch Exception e
                     (if (and (deadlock? e) (< attempt most-attempts))
                       ::again
                       (throw e))))]
      (if (= ::again answer)
        (do
          (log/info "Submitting again after a deadlock in the database, attempt" (inc attempt))
          (Thread/sleep (long (.nextInt (ThreadLocalRandom/current) 10 (* 50 attempt))))
          (recur (inc attempt)))
        answer))))
