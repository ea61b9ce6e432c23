(ns scm-node.index
  "XTDB's index in RocksDB, with a list of files that is written again at each change.

  RocksDB appends to that list, and each entry has the first and the last key of a file. Keys contain short values, so an
  entry would keep an evicted value until the next start of the node. A file is made for each 64 MB, so a new list is
  rare and small."
  (:require [xtdb.rocksdb :as rocksdb])
  (:import (org.rocksdb DBOptions)))

(set! *warn-on-reflection* true)

(defn ->kv-store {:xtdb.system/deps (:xtdb.system/deps (meta #'rocksdb/->kv-store))
                  :xtdb.system/args (:xtdb.system/args (meta #'rocksdb/->kv-store))}
  [options]
  (rocksdb/->kv-store
   (assoc options
          :db-options (doto (DBOptions.)
                        (.setMaxManifestFileSize 1)
                        ;; XTDB's own value, which it does not set on given options.
                        (.setMaxBackgroundJobs (max 2 (dec (.availableProcessors (Runtime/getRuntime)))))))))
