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
  "Returns the bytes of a value in base64, and the values that they are in XTDB's two formats."
  [^bytes found]
  (let [value (try (pr-str (nippy/thaw found)) (catch Throwable _ ""))
        fast (try (pr-str (nippy/fast-thaw found)) (catch Throwable _ ""))]
    (str "bytes " (.encodeToString (Base64/getEncoder) found) "\n" value "\n" fast)))

(let [[folder] *command-line-args*
      database (io/file folder "golden.db")]
  (doseq [row (jdbc/execute! (jdbc/get-datasource (str "jdbc:sqlite:" database)) ["SELECT * FROM tx_events"])
          value (vals row)]
    (println (if (bytes? value) (shown value) value)))
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
            (println (shown (.key entries)))
            (println (shown (.value entries)))
            (.next entries)))))))
(shutdown-agents)
