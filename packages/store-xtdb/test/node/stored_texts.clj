;; Prints what the files of a node hold, whether its entries are current or not:
;; java -cp CLASSPATH clojure.main stored_texts.clj FOLDER
(require '[clojure.java.io :as io]
         '[juxt.clojars-mirrors.nextjdbc.v1v2v674.next.jdbc :as jdbc]
         '[juxt.clojars.mirrors.nippy.v3v4v2.taoensso.nippy :as nippy]
         '[xtdb.codec :as codec]
         '[xtdb.tx])
(import '(java.io File)
        '(java.util Base64)
        '(org.rocksdb Options ReadOptions RocksDB SstFileReader SstFileReaderIterator))

(set! *warn-on-reflection* true)

(defn shown
  "Returns the bytes of a value in base64, and the value that `thaw` makes of them."
  [^bytes found thaw]
  (str "bytes " (.encodeToString (Base64/getEncoder) found)
       (try (str "\n" (pr-str (thaw found))) (catch Throwable _ ""))))

(defn long-value?
  "Whether a key is one of the long values, which the index has in another form than the database."
  [^bytes key]
  (= codec/hash-cache-index-id (aget key 0)))

(let [[folder] *command-line-args*
      database (io/file folder "golden.db")]
  (doseq [row (jdbc/execute! (jdbc/get-datasource (str "jdbc:sqlite:" database)) ["SELECT * FROM tx_events"])
          value (vals row)]
    (println (if (bytes? value) (shown value nippy/thaw) value)))
  (RocksDB/loadLibrary)
  (with-open [options (Options.)
              read-options (doto (ReadOptions.) (.setVerifyChecksums false))]
    (doseq [^File file (.listFiles (io/file folder "index"))
            :when (.endsWith (.getName file) ".sst")]
      (with-open [^SstFileReader reader (SstFileReader. options)]
        (.open reader (str file))
        (with-open [^SstFileReaderIterator entries (.newIterator reader read-options)]
          (.seekToFirst entries)
          (while (.isValid entries)
            (println (shown (.key entries) (constantly nil)))
            (println (shown (.value entries) (if (long-value? (.key entries)) nippy/fast-thaw (constantly nil))))
            (.next entries)))))))
(shutdown-agents)
