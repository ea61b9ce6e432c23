(ns scm-node.erasing
  "The removal of all traces of evicted documents from the files of the node.

  An eviction replaces the documents in the database, and removes most of their entries from the index. Copies remain:

  - XTDB keeps long values, ids and the names of attributes in the index, where an eviction does not look for them;
  - the transaction log has the ids of evicted documents as texts;
  - RocksDB and SQLite keep the bytes of former entries until they write their files again.

  The work depends only on what is in the files, so it can be repeated after a failure at any point."
  (:require [clojure.tools.logging :as log]
            [juxt.clojars-mirrors.nextjdbc.v1v2v674.next.jdbc :as jdbc]
            [juxt.clojars-mirrors.nextjdbc.v1v2v674.next.jdbc.result-set :as result-set]
            [juxt.clojars.mirrors.nippy.v3v4v2.taoensso.nippy :as nippy]
            [scm-node.transactions :as transactions]
            [xtdb.api :as xt]
            [xtdb.codec :as codec]
            [xtdb.jdbc :as xtdb-jdbc]
            [xtdb.kv :as kv]
            [xtdb.memory :as memory]
            [xtdb.rocksdb]
            [xtdb.tx.event :as event])
  (:import (com.zaxxer.hikari HikariDataSource)
           (java.nio ByteBuffer)
           (java.sql DriverManager)
           (java.util ArrayList HashMap HashSet)
           (org.agrona DirectBuffer)
           (org.rocksdb ColumnFamilyHandle CompactRangeOptions CompactRangeOptions$BottommostLevelCompaction
                        FlushOptions RocksDB)
           (xtdb.rocksdb RocksKv)))

(set! *warn-on-reflection* true)

;; XTDB counts the attributes of new documents at most this much later, and that would bring a name back.
(def ^:private counted-after-milliseconds 700)
(def ^:private most-milliseconds 60000)
(def ^:private keys-at-once 50000)
(def ^:private rows-at-once 500)

(def ^:private id-size (int codec/id-size))
(def ^:private id-type 0)
;; A key of a long value: the number of its index, the hash of the value, the id of the document.
(def ^:private value-end (+ 1 id-size))

(defn- bytes-in ^bytes [^DirectBuffer key from to]
  (let [from (int from)
        found (byte-array (- (int to) from))]
    (.getBytes key from found)
    found))

(defn- key-of ^DirectBuffer [index-id & parts]
  (let [made (java.io.ByteArrayOutputStream.)]
    (.write made (int index-id))
    (doseq [^bytes part parts]
      (.write made part 0 (alength part)))
    (memory/as-buffer (.toByteArray made))))

(defn- begins? [^DirectBuffer key ^DirectBuffer prefix]
  (and key
       (<= (.capacity prefix) (.capacity key))
       (memory/buffers=? key prefix (.capacity prefix))))

(defn- values-of
  "Returns the hashes of the long values that the documents with an id have, or nil if there is no such document."
  [iterator ^bytes document-id]
  (let [prefix (key-of codec/ecav-index-id document-id)
        ;; After the id: the hash of the document, the attribute, the value.
        from (+ (.capacity prefix) (* 2 id-size))
        values (HashSet.)]
    (loop [^DirectBuffer key (kv/seek iterator prefix)
           any? false]
      (if (begins? key prefix)
        (do
          (when (= (.capacity key) (+ from id-size))
            (.add values (ByteBuffer/wrap (bytes-in key from (+ from id-size)))))
          (recur (kv/next iterator) true))
        (when any? values)))))

(defn- attribute-used? [iterator ^bytes attribute]
  (let [prefix (key-of codec/av-index-id attribute)]
    (begins? (kv/seek iterator prefix) prefix)))

(defn- unused-keys
  "Returns those of the keys of long values that no document has."
  [iterator document-keys]
  (let [by-document (HashMap.)
        unused (ArrayList.)]
    (doseq [^DirectBuffer key document-keys
            :let [id (ByteBuffer/wrap (bytes-in key value-end (.capacity key)))]]
      (.add ^ArrayList (or (.get by-document id)
                           (let [made (ArrayList.)]
                             (.put by-document id made)
                             made))
            key))
    (doseq [[^ByteBuffer id document-keys] by-document
            :let [^HashSet values (values-of iterator (.array id))]
            ^DirectBuffer key document-keys
            :let [value (bytes-in key 1 value-end)]]
      ;; The id itself is such a value too.
      (when-not (and values
                     (or (= id-type (aget value 0))
                         (.contains values (ByteBuffer/wrap value))))
        (.add unused key)))
    unused))

(defn- long-value-keys
  "Returns the next keys of long values and of names of attributes, from a key on."
  [iterator ^DirectBuffer from]
  (let [prefix (key-of codec/hash-cache-index-id)]
    (loop [key (kv/seek iterator from)
           found (transient [])]
      (if (and (begins? key prefix) (< (count found) keys-at-once))
        (recur (kv/next iterator) (conj! found (memory/copy-to-unpooled-buffer key)))
        (persistent! found)))))

(defn- after ^DirectBuffer [^DirectBuffer key]
  (memory/as-buffer (byte-array (inc (.capacity key)) (seq (bytes-in key 0 (.capacity key))))))

(defn- remove-keys [kv-store unused]
  (when (seq unused)
    (kv/store kv-store (map #(vector % nil) unused))))

(defn- remove-unused-values
  "Removes the long values, ids and names of attributes that no document has."
  [kv-store]
  (loop [from (key-of codec/hash-cache-index-id)]
    (let [found (with-open [snapshot (kv/new-snapshot kv-store)
                            iterator (kv/new-iterator snapshot)
                            other (kv/new-iterator snapshot)]
                  (let [found (long-value-keys iterator from)
                        {names true values false} (group-by #(= value-end (.capacity ^DirectBuffer %)) found)]
                    (remove-keys kv-store
                                 (concat (remove #(attribute-used? other (bytes-in % 1 value-end)) names)
                                         (unused-keys other values)))
                    found))]
      (when-let [last-key (peek found)]
        (recur (after last-key))))))

(defn- remove-unused-counts
  "Removes the counts of attributes that no document has. Their keys have the names."
  [kv-store]
  (with-open [snapshot (kv/new-snapshot kv-store)
              iterator (kv/new-iterator snapshot)
              other (kv/new-iterator snapshot)]
    (let [prefix (key-of codec/stats-index-id)
          unused? (fn [^DirectBuffer key]
                    (let [attribute (codec/decode-value-buffer (memory/slice-buffer key 1 (dec (.capacity key))))]
                      (not (attribute-used? other (bytes-in (codec/->id-buffer attribute) 0 id-size)))))]
      (remove-keys kv-store
                   (loop [key (kv/seek iterator prefix)
                          unused []]
                     (if (begins? key prefix)
                       (let [kept (memory/copy-to-unpooled-buffer key)]
                         (recur (kv/next iterator) (if (unused? kept) (conj unused kept) unused)))
                       unused))))))

(defn- until
  "Waits until a condition holds, for a minute at most. Throws then, so that nothing is reported as done that is not."
  [what holds?]
  (let [end (+ (System/currentTimeMillis) most-milliseconds)]
    (while (not (holds?))
      (when (> (System/currentTimeMillis) end)
        (throw (ex-info what {::unfinished {:error what}})))
      (Thread/sleep 20))))

(defn- write-index-again
  "Makes RocksDB write all of its files again. What a reader still sees would stay, so it waits for the readers first."
  [kv-store]
  (when (instance? RocksKv kv-store)
    (let [^RocksDB db (:db kv-store)
          families (distinct (map (:->column-family-handle kv-store) (range 32)))
          removed-at (.getLatestSequenceNumber db)]
      (until "A query runs for too long; repeat the request when it has ended."
             #(let [oldest (.getLongProperty db "rocksdb.oldest-snapshot-sequence")]
                (or (zero? oldest) (>= oldest removed-at))))
      (with-open [flushing (doto (FlushOptions.) (.setWaitForFlush true))
                  compacting (doto (CompactRangeOptions.)
                               (.setBottommostLevelCompaction CompactRangeOptions$BottommostLevelCompaction/kForce))]
        (.flush db flushing ^java.util.List (vec families))
        (doseq [family families]
          (.compactRange db ^ColumnFamilyHandle family nil nil compacting))))))

(defn- evicts-text? [[op id]]
  (and (= :crux.tx/evict op) (string? id)))

(defn- without-text [[op id & others :as tx-event]]
  (if (evicts-text? tx-event)
    (into [op (codec/new-id id)] others)
    tx-event))

(defn- shorten-log
  "Replaces the ids of evicted documents in the transaction log by their hashes. An index that is built again from the log
  finds the documents by either."
  [pool last-tx-id]
  (loop [after-offset 0]
    (let [rows (jdbc/execute! pool
                              ["SELECT event_offset, v FROM tx_events WHERE topic = 'txs' AND event_offset > ? AND event_offset <= ? ORDER BY event_offset LIMIT ?"
                               after-offset last-tx-id rows-at-once]
                              {:builder-fn result-set/as-unqualified-lower-maps})]
      (doseq [{:keys [event_offset v]} rows
              :let [entry (nippy/thaw v)
                    events (if (map? entry) (::event/tx-events entry) entry)]
              :when (some evicts-text? events)
              :let [shorter (mapv without-text events)]]
        (jdbc/execute! pool ["UPDATE tx_events SET v = ? WHERE event_offset = ?"
                             (nippy/freeze (if (map? entry) (assoc entry ::event/tx-events shorter) shorter))
                             event_offset]))
      (when-let [{:keys [event_offset]} (peek rows)]
        (recur (long event_offset))))))

(defn- write-database-again
  "Makes SQLite write its file again. A connection of the pool can have a statement that has not ended, and SQLite refuses
  then."
  [^HikariDataSource pool]
  (with-open [connection (DriverManager/getConnection (.getJdbcUrl pool))]
    (jdbc/execute! connection ["VACUUM"])
    (until "A reader keeps the log of the database; repeat the request."
           #(zero? (long (first (vals (jdbc/execute-one! connection ["PRAGMA wal_checkpoint(TRUNCATE)"]))))))))

(defn- jdbc-log [{:keys [tx-log]}]
  (let [log (or (:inner tx-log) tx-log)]
    (when (and (:pool log) (= :sqlite (xtdb-jdbc/db-type (:dialect log))))
      log)))

(def ^:private one-at-a-time (Object.))

(defn erase
  "Leaves nothing of evicted documents in the files of this node. A database other than SQLite stays as it is."
  [{:keys [node] :as context}]
  (locking one-at-a-time
    (let [kv-store (get-in node [:index-store :kv-store])
          last-tx-id (::xt/tx-id (xt/latest-completed-tx node))]
      (Thread/sleep (long counted-after-milliseconds))
      (remove-unused-values kv-store)
      (remove-unused-counts kv-store)
      ;; The index is on the disk before the log changes, so that a node that fails never evicts by the changed log.
      (write-index-again kv-store)
      (when-let [{:keys [pool]} (jdbc-log node)]
        (transactions/while-none-is-submitted
         context
         (fn []
           (shorten-log pool (or last-tx-id 0))
           (write-database-again pool))))
      (log/info "Erased what was left of evicted documents"))))
