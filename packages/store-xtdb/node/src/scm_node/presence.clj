(ns scm-node.presence
  "The users of this node, so that it stops when there are none.

  Every process that uses the node keeps a file `PID.NAME` in a folder. A file counts while its process lives. A process
  that began after the file was written is another one with the same id. The file `keep` keeps the node running without
  users. Files survive a killed node, so that the next node finds its users."
  (:require [clojure.java.io :as io]
            [clojure.tools.logging :as log]
            [xtdb.system :as sys])
  (:import (java.io Closeable File)
           (java.lang ProcessHandle)
           (java.time Instant)
           (java.util.concurrent Executors ScheduledExecutorService ThreadFactory TimeUnit)))

(set! *warn-on-reflection* true)

;; A clock that is set forward also moves the start times of processes, but not the times of files. Ten minutes are
;; tolerated. A user that is overlooked beyond that joins again when the node has stopped.
(def ^:private slack-milliseconds 600000)

(defn- process-of [^File file]
  (when-let [[_ pid] (re-matches #"(\d+)\..+" (.getName file))]
    (.orElse (ProcessHandle/of (parse-long pid)) nil)))

(defn- written-by? [^File file ^ProcessHandle process]
  (let [^Instant began (.orElse (.startInstant (.info process)) Instant/EPOCH)]
    (<= (.toEpochMilli began) (+ (.lastModified file) slack-milliseconds))))

(defn- used?
  "Whether a process uses the node. Removes the files of processes that have ended."
  [^File folder]
  (reduce (fn [any? ^File file]
            (let [^ProcessHandle process (process-of file)]
              (cond
                (= "keep" (.getName file)) true
                (and process (.isAlive process)) (or any? (written-by? file process))
                :else (do
                        (.delete file)
                        any?))))
          false
          (.listFiles folder)))

(defrecord Presence [^File folder linger-milliseconds !state ^ScheduledExecutorService watch]
  Closeable
  (close [_]
    (.shutdownNow watch)))

(defn join
  "Whether the node keeps running for a user that has just written a file: false after it has decided to stop. The request
  itself does not count as use, so that a process that only asks does not keep the node running."
  [{:keys [!state]}]
  (locking !state
    (not (:stopping? @!state))))

(defn- look
  "Stops an unused node. It holds the lock of `join`, so that no user can join between the decision and the stop."
  [{:keys [folder linger-milliseconds !state]}]
  (locking !state
    (let [now (System/nanoTime)]
      (if (used? folder)
        (swap! !state assoc :last-used now)
        (when (and (not (:stopping? @!state))
                   (> (- now (:last-used @!state)) (* 1000000 linger-milliseconds)))
          (swap! !state assoc :stopping? true)
          (log/info "No process uses this node, stopping")
          (.start (Thread. #(System/exit 0) "scm-node-stop")))))))

(defn ->presence {::sys/args {:folder {:doc "Folder with a file for each process that uses the node"
                                       :required? true
                                       :spec ::sys/string}
                              :linger-ms {:doc "Milliseconds to keep running without users"
                                          :default 5000
                                          :spec ::sys/nat-int}}}
  [{:keys [folder linger-ms]}]
  (let [folder (doto (io/file folder) (.mkdirs))
        watch (Executors/newSingleThreadScheduledExecutor
               (reify ThreadFactory
                 (newThread [_ task]
                   (doto (Thread. task "scm-node-presence")
                     (.setDaemon true)))))
        presence (->Presence folder linger-ms (atom {:last-used (System/nanoTime)}) watch)]
    (.scheduleWithFixedDelay watch
                             (fn []
                               (try
                                 (look presence)
                                 (catch Throwable e
                                   ;; An exception would end the watch.
                                   (log/warn e "The users of this node cannot be read"))))
                             1000 1000 TimeUnit/MILLISECONDS)
    presence))
