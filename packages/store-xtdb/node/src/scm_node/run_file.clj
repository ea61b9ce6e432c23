(ns scm-node.run-file
  "The file with the address of a node."
  (:require [clojure.java.io :as io]
            [scm-node.json :as json])
  (:import (java.io File)
           (java.nio.file CopyOption Files StandardCopyOption)))

(set! *warn-on-reflection* true)

(defn write
  "Writes the file atomically."
  [path facts]
  (let [file (io/file path)
        partial-file (io/file (str path "." (:pid facts) ".partial"))]
    (with-open [out (io/output-stream partial-file)]
      (json/write-to out facts))
    (Files/move (.toPath partial-file)
                (.toPath file)
                (into-array CopyOption [StandardCopyOption/ATOMIC_MOVE StandardCopyOption/REPLACE_EXISTING]))))

(defn remove-own
  "Removes the file, except if another start of the node has written it since."
  [path instance]
  (let [^File file (io/file path)]
    (when (and (.exists file)
               (= instance (:instance (json/read-text (slurp file)))))
      (.delete file))))
