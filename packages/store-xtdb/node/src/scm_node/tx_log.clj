(ns scm-node.tx-log
  "A transaction log that reports its own submits to the indexer at once.

  XTDB's JDBC log asks the database every 100 ms for new transactions. This log wraps it, and also asks as soon as this
  node has submitted a transaction. Transactions of other nodes are found in the next round."
  (:require [clojure.tools.logging :as log]
            [xtdb.api :as xt]
            [xtdb.db :as db]
            [xtdb.system :as sys]
            [xtdb.tx.subscribe :as subscribe])
  (:import (java.util.concurrent CompletableFuture Semaphore TimeUnit)))

(set! *warn-on-reflection* true)

(def ^:private batch-size 50)
(def ^:private poll-milliseconds 100)
(def ^:private pause-after-error-milliseconds 1000)

(defn- read-batch
  "Returns the next transactions after the given one. If the database does not answer, it waits and returns none, and the
  caller tries again."
  [inner after-tx-id]
  (try
    (with-open [cursor (db/open-tx-log inner after-tx-id {})]
      (into [] (take batch-size) (iterator-seq cursor)))
    (catch InterruptedException e (throw e))
    (catch Exception e
      (log/warn e "The transaction log cannot be read, trying again")
      (Thread/sleep (long pause-after-error-milliseconds))
      [])))

(defn- follow [inner ^Semaphore wake after-tx-id f ^CompletableFuture stopped]
  (loop [after-tx-id after-tx-id]
    (when-not (.isDone stopped)
      ;; Drained before the read, so that each later submit wakes the next round.
      (.drainPermits wake)
      (let [txs (read-batch inner after-tx-id)]
        (if (empty? txs)
          (.tryAcquire wake (long poll-milliseconds) TimeUnit/MILLISECONDS)
          (f stopped txs))
        (when (Thread/interrupted)
          (throw (InterruptedException.)))
        (recur (if-let [tx (peek txs)]
                 (::xt/tx-id tx)
                 after-tx-id))))))

(defrecord WakingTxLog [inner !wakes]
  db/TxLog
  (submit-tx [this tx-events]
    (db/submit-tx this tx-events {}))

  (submit-tx [_ tx-events opts]
    (let [submitted (db/submit-tx inner tx-events opts)]
      (doseq [^Semaphore wake @!wakes]
        (.release wake))
      submitted))

  (open-tx-log [_ after-tx-id opts]
    (db/open-tx-log inner after-tx-id opts))

  (latest-submitted-tx [_]
    (db/latest-submitted-tx inner))

  (subscribe [_ after-tx-id f]
    (let [wake (Semaphore. 0)]
      (swap! !wakes conj wake)
      (subscribe/completable-thread
       (fn [stopped]
         (try
           (follow inner wake after-tx-id f stopped)
           (finally
             (swap! !wakes disj wake))))))))

(defn ->tx-log {::sys/deps {:inner nil}}
  [{:keys [inner]}]
  (->WakingTxLog inner (atom #{})))
