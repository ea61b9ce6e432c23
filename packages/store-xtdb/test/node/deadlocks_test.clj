;; Tests submits that end in a deadlock of the database: java -cp CLASSPATH clojure.main deadlocks_test.clj
(ns deadlocks-test
  (:require [clojure.test :refer [deftest is run-tests]]
            [scm-node.transactions :as transactions]
            [xtdb.api :as xt])
  (:import (java.sql SQLException)
           (java.util.concurrent Semaphore)))

(defn- failing-node
  "Returns a node whose submits throw the given errors, one after the other, and succeed after that."
  [!submits & errors]
  (let [!errors (atom errors)]
    (reify xt/PXtdbSubmitClient
      (submit-tx [_ ops]
        (swap! !submits conj ops)
        (when-let [error (first @!errors)]
          (swap! !errors rest)
          (throw error))
        {::xt/tx-id (count @!submits)}))))

(defn- sql-error [state]
  (SQLException. (str "reported by the database as " state) ^String state))

(defn- submit [node places]
  (transactions/submit {:node node :submitting places} [[::xt/put {:xt/id "a"}]]))

(deftest a-deadlock-is-submitted-again
  (doseq [state ["40P01" "40001"]
          error [(sql-error state) (RuntimeException. "around it" (sql-error state))]]
    (let [!submits (atom [])
          places (transactions/submitting 1)
          answer (submit (failing-node !submits error error) places)]
      (is (= {::xt/tx-id 3} answer))
      (is (= 3 (count @!submits)))
      (is (apply = @!submits) "the same operations each time")
      (is (= 1 (.availablePermits ^Semaphore (:places places))) "its place is free again"))))

(deftest an-endless-deadlock-is-reported-after-eight-attempts
  (let [!submits (atom [])
        places (transactions/submitting 1)
        node (apply failing-node !submits (repeatedly 20 #(sql-error "40P01")))]
    (is (thrown-with-msg? SQLException #"40P01" (submit node places)))
    (is (= 8 (count @!submits)))
    (is (= 1 (.availablePermits ^Semaphore (:places places))))))

(deftest another-error-is-not-submitted-again
  (doseq [error [(sql-error "23505") (sql-error nil) (IllegalStateException. "closed")]]
    (let [!submits (atom [])
          places (transactions/submitting 1)]
      (is (thrown? Exception (submit (failing-node !submits error) places)))
      (is (= 1 (count @!submits)))
      (is (= 1 (.availablePermits ^Semaphore (:places places)))))))

(let [{:keys [test fail error]} (run-tests 'deadlocks-test)]
  (shutdown-agents)
  (System/exit (if (and (= 3 test) (zero? (+ fail error))) 0 1)))
