(ns scm-node.formats
  "The formats of bodies and answers."
  (:require [clojure.string :as str]
            [cognitect.transit :as transit]
            [scm-node.json :as json]
            [xtdb.codec :as codec])
  (:import (java.io ByteArrayInputStream ByteArrayOutputStream OutputStream OutputStreamWriter)
           (xtdb.codec EDNId Id)))

(set! *warn-on-reflection* true)

(def transit-type "application/transit+json")
(def json-type "application/json")
(def edn-type "application/edn")

(def ^:private known-types [edn-type transit-type json-type])

(defn media-type
  "Returns the media type of a Content-Type header, without its parameters."
  [header]
  (some-> header (str/split #";") first str/trim str/lower-case))

(defn- quality [parameters]
  (or (some (fn [parameter]
              (some->> (str/trim parameter)
                       (re-matches #"(?i)q=([0-9.]+)")
                       second
                       parse-double))
            parameters)
      1.0))

(defn accepted
  "Returns the format of the answer, or nil if the node supports none of the requested ones."
  [accept-header]
  (if (str/blank? accept-header)
    edn-type
    (->> (str/split accept-header #",")
         (map (fn [part]
                (let [[range & parameters] (str/split part #";")]
                  [(str/lower-case (str/trim range)) (quality parameters)])))
         (filter (comp pos? second))
         ;; The sort is stable: of two formats with equal quality, the first one in the header is used.
         (sort-by (comp - second))
         (some (fn [[range]]
                 (if (#{"*/*" "application/*"} range)
                   edn-type
                   (some #{range} known-types)))))))

(def ^:private transit-options
  {:handlers {Id (transit/write-handler "xtdb/oid" str)
              EDNId (transit/write-handler "xtdb/oid" str)
              (Class/forName "[B") (transit/write-handler "xtdb/base64" codec/base64-writer)}
   ;; Error data can contain any value, for example predicates and exceptions.
   :default-handler (transit/write-handler "s" str str)})

(defn- write-edn [^OutputStream stream value]
  (binding [*print-length* nil
            *print-level* nil
            *print-namespace-maps* false
            *out* (OutputStreamWriter. stream "UTF-8")]
    (pr value)
    (flush)))

(defn write-to
  "Writes a value in a format. A lazy sequence is read as it is written."
  [stream format value]
  (condp = format
    transit-type (transit/write (transit/writer stream :json transit-options) value)
    json-type (json/write-to stream value)
    edn-type (write-edn stream value)))

(defn encode ^bytes [format value]
  (let [stream (ByteArrayOutputStream. 1024)]
    (write-to stream format value)
    (.toByteArray stream)))

(defn decode
  "Returns the value of a body. Throws if the body cannot be read."
  [format ^bytes body]
  (condp = format
    transit-type (transit/read (transit/reader (ByteArrayInputStream. body) :json))
    json-type (json/read-bytes body)
    edn-type (codec/read-edn-string-with-readers (String. body "UTF-8"))))
