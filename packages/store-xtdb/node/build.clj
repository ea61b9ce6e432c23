;; Compiles XTDB and the modules of this folder ahead of time into one jar:
;; java -cp 'CLASSES:src:lib/*' clojure.main build.clj CLASSES JAR
(import '(java.io File)
        '(java.nio.file Files)
        '(java.util.jar JarEntry JarOutputStream))
(require '[clojure.java.io :as io])

(def namespaces
  '[xtdb.main xtdb.cli xtdb.node xtdb.jdbc xtdb.jdbc.sqlite xtdb.jdbc.psql xtdb.rocksdb xtdb.kv.index-store
    xtdb.kv.document-store xtdb.kv.tx-log xtdb.mem-kv xtdb.query xtdb.tx xtdb.cache xtdb.bus
    scm-node.server scm-node.index scm-node.tx-log scm-node.presence])

(let [[classes jar] *command-line-args*
      root (.toPath (io/file classes))]
  (binding [*compile-path* classes
            *compile-files* true]
    (apply require namespaces))
  (with-open [out (JarOutputStream. (io/output-stream jar))]
    (doseq [^File file (sort (file-seq (io/file classes)))
            :when (.isFile file)
            :let [entry (JarEntry. (-> (.relativize root (.toPath file)) str (.replace File/separator "/")))]]
      ;; One time that is later than the sources', so that Clojure loads the classes.
      (.setTime entry (System/currentTimeMillis))
      (.putNextEntry out entry)
      (Files/copy (.toPath file) out)
      (.closeEntry out)))
  (shutdown-agents))
