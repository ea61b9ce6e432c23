(ns scm-node.waiting
  "Requests that wait for a transaction to be indexed."
  (:require [scm-node.parameters :as parameters]
            [xtdb.api :as xt])
  (:import (java.time Duration)
           (java.util.concurrent Semaphore)))

(set! *warn-on-reflection* true)

(defn waiting
  "Returns the places for waiting requests. They are fewer than the threads that answer, so that a request that does not
  wait always finds a thread."
  [threads most-milliseconds]
  {:places (Semaphore. (max 1 (quot (* 3 threads) 4)))
   :most-milliseconds most-milliseconds})

(defn wait-with
  "Calls `wait` with the longest time that it may take, and returns its result. Throws what `wait` throws."
  [{:keys [^Semaphore places most-milliseconds]} asked-milliseconds wait]
  (if (.tryAcquire places)
    (try
      (wait (Duration/ofMillis (min most-milliseconds (max 0 (or asked-milliseconds most-milliseconds)))))
      (finally
        (.release places)))
    (throw (ex-info "too many requests wait" {::too-many {:error "Too many requests wait for a transaction."}}))))

(defn await-tx
  "Waits until a transaction is indexed. If it is indexed already, it takes no place."
  [{:keys [node waiting]} tx-id asked-milliseconds]
  (let [latest (xt/latest-completed-tx node)]
    (if (and latest (<= tx-id (::xt/tx-id latest)))
      latest
      (wait-with waiting asked-milliseconds #(xt/await-tx node {::xt/tx-id tx-id} %)))))

(defn await-asked
  "Waits if the request has awaitTxId."
  [context query]
  (when-some [tx-id (parameters/whole-number query :await-tx-id)]
    (await-tx context tx-id (parameters/whole-number query :await-tx-timeout))))
