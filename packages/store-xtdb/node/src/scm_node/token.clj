(ns scm-node.token
  "The token that every request must have."
  (:require [clojure.string :as str])
  (:import (java.security MessageDigest)))

(set! *warn-on-reflection* true)

(defn read-file
  "Returns the bytes of the token in a file. Throws if the file has none: a node without a token would serve every user."
  ^bytes [path]
  (let [text (str/trim (slurp path))]
    (when (str/blank? text)
      (throw (IllegalArgumentException. (str "The file " path " has no token."))))
    (.getBytes ^String text "UTF-8")))

(defn given?
  "Whether an Authorization header has the token. The comparison takes the same time for each text of one length."
  [^bytes token authorization]
  (when-let [[_ ^String found] (some->> authorization (re-matches #"(?i)bearer +(\S+)"))]
    (MessageDigest/isEqual token (.getBytes found "UTF-8"))))
