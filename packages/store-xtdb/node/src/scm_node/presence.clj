(ns scm-node.presence
  "Who uses this node, so that it stops once nobody does.

  Every process that uses it keeps a file `PID.NAME` in a folder. A file counts while its process lives; a process that
  began after the file was written is another one that got the same number. The file `keep` keeps the node whoever is
  there. Files outlive a node that is killed, so that the next one knows its users."
  (:require [clojure.java.io :as io]
            [clojure.tools.logging :as log]
            [xtdb.system :as sys])
  (:import (java.io Closeable File)
           (java.lang ProcessHandle)
           (java.time Instant)
           (java.util.concurrent Executors ScheduledExecutorService ThreadFactory TimeUnit)))

(set! *warn-on-reflection* true)

;; A clock that is set forward moves the beginnings of processes with it, and no file's time; a few minutes of that are
;; allowed for. Whoever is overlooked beyond that joins again when the node is gone.
(def ^:private slack-milliseconds 600000)

(defn- process-of [^File file]
  (when-let [[_ pid] (re-matches #"(\d+)\..+" (.getName file))]
    (.orElse (ProcessHandle/of (parse-long pid)) nil)))

(defn- written-by? [^File file ^ProcessHandle process]
  (let [^Instant began (.orElse (.startInstant (.info process)) Instant/EPOCH)]
    (<= (.toEpochMilli began) (+ (.lastModified file) slack-milliseconds))))

(defn- used?
  "Whether anybody uses the node. Removes what those left whose process is gone."
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
  "Whether the node stays for a user who has just written a file: false once it has decided to stop. Asking is no use of
  the node, so that whoever only looks does not keep it."
  [{:keys [!state]}]
  (locking !state
    (not (:stopping? @!state))))

(defn- look
  "Decides under the same lock that a user is answered under: none can come between the decision and the stop."
  [{:keys [folder linger-milliseconds !state]}]
  (locking !state
    (let [now (System/nanoTime)]
      (if (used? folder)
        (swap! !state assoc :last-used now)
        (when (and (not (:stopping? @!state))
                   (> (- now (:last-used @!state)) (* 1000000 linger-milliseconds)))
          (swap! !state assoc :stopping? true)
          (log/info "Nobody uses this node any more, stopping")
          (.start (Thread. #(System/exit 0) "scm-node-stop")))))))

(defn ->presence {::sys/args {:folder {:doc "Folder with a file for each process that uses the node"
                                       :required? true
                                       :spec ::sys/string}
                              :linger-ms {:doc "How long to stay without users"
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
                                   ;; Thrown on, it would end the watch.
                                   (log/warn e "The users of this node cannot be looked at"))))
                             1000 1000 TimeUnit/MILLISECONDS)
    presence))
