(ns scm-node.json
  "JSON as XTDB's own HTTP server reads and writes it."
  (:require [clojure.string :as str])
  (:import (clojure.lang Keyword)
           (com.fasterxml.jackson.core JsonFactory JsonGenerator JsonParser JsonToken StreamReadConstraints)
           (java.io ByteArrayOutputStream OutputStream)
           (java.time Instant)
           (java.time.format DateTimeFormatter)
           (java.time ZoneOffset)
           (java.util Base64 Date Map)
           (xtdb.codec EDNId Id)))

(set! *warn-on-reflection* true)

;; The size of a body is limited before it is parsed, so its strings need no separate limit.
(def ^:private ^JsonFactory json-factory
  (-> (JsonFactory/builder)
      (.streamReadConstraints (-> (StreamReadConstraints/builder)
                                  (.maxStringLength Integer/MAX_VALUE)
                                  (.build)))
      (.build)))

(declare read-token)

(defn- read-object [^JsonParser parser]
  (loop [result (transient {})]
    (if (= JsonToken/END_OBJECT (.nextToken parser))
      (persistent! result)
      (let [k (keyword (.getText parser))]
        (.nextToken parser)
        (recur (assoc! result k (read-token parser)))))))

(defn- read-array [^JsonParser parser]
  (loop [result (transient [])]
    (if (= JsonToken/END_ARRAY (.nextToken parser))
      (persistent! result)
      (recur (conj! result (read-token parser))))))

(defn- read-token
  "Reads a value. Integers keep the class that Jackson gives them (Integer, Long or BigInteger by their size),
  because XTDB's content hash depends on the class: a document would not match itself otherwise."
  [^JsonParser parser]
  (let [token (.currentToken parser)]
    (condp = token
      JsonToken/START_OBJECT (read-object parser)
      JsonToken/START_ARRAY (read-array parser)
      JsonToken/VALUE_STRING (.getText parser)
      JsonToken/VALUE_NUMBER_INT (.getNumberValue parser)
      JsonToken/VALUE_NUMBER_FLOAT (.getDoubleValue parser)
      JsonToken/VALUE_TRUE true
      JsonToken/VALUE_FALSE false
      JsonToken/VALUE_NULL nil
      (throw (IllegalArgumentException. (if token
                                          (str "unexpected " token)
                                          "unexpected end of JSON"))))))

(defn read-bytes
  "Returns the value of a JSON text, with keywords as keys at every depth. Throws unless the text is exactly one value."
  [^bytes body]
  (with-open [parser (.createParser json-factory body)]
    (.nextToken parser)
    (let [value (read-token parser)]
      (when (.nextToken parser)
        (throw (IllegalArgumentException. "the body has more text after the JSON value")))
      value)))

(defn read-text [^String text]
  (read-bytes (.getBytes text "UTF-8")))

;; Whole seconds, like the official server: a client that uses such a time for "as of" must meet the same loss here.
(def ^:private ^DateTimeFormatter seconds
  (.withZone (DateTimeFormatter/ofPattern "yyyy-MM-dd'T'HH:mm:ss'Z'") ZoneOffset/UTC))

(defn- key-text ^String [k]
  (if (keyword? k) (subs (str k) 1) (str k)))

(defn- write-value [^JsonGenerator out value]
  (cond
    (nil? value) (.writeNull out)
    (string? value) (.writeString out ^String value)
    (keyword? value) (.writeString out (key-text value))
    (boolean? value) (.writeBoolean out (boolean value))
    (instance? Integer value) (.writeNumber out (int value))
    (instance? Long value) (.writeNumber out (long value))
    (instance? Double value) (.writeNumber out (double value))
    (instance? Float value) (.writeNumber out (float value))
    (instance? BigInteger value) (.writeNumber out ^BigInteger value)
    (instance? BigDecimal value) (.writeNumber out ^BigDecimal value)
    (instance? clojure.lang.BigInt value) (.writeNumber out (biginteger value))
    (ratio? value) (.writeNumber out (double value))
    (number? value) (.writeNumber out (long value))
    (inst? value) (.writeString out (.format seconds (if (instance? Date value)
                                                       (Instant/ofEpochMilli (.getTime ^Date value))
                                                       ^Instant value)))
    (instance? Map value) (do (.writeStartObject out)
                              (doseq [[k v] value]
                                (.writeFieldName out (key-text k))
                                (write-value out v))
                              (.writeEndObject out))
    (bytes? value) (.writeString out (.encodeToString (Base64/getEncoder) ^bytes value))
    (or (coll? value) (instance? Iterable value)) (do (.writeStartArray out)
                                                      (doseq [element value]
                                                        (write-value out element))
                                                      (.writeEndArray out))
    :else (.writeString out (str value))))

(defn write-to
  "Writes a value as JSON. A lazy sequence is read as it is written."
  [^OutputStream stream value]
  (let [out (.createGenerator json-factory stream)]
    (write-value out value)
    (.flush out)))

(defn- camel-case [k]
  (let [[head & tail] (str/split (name k) #"-")]
    (str/join (cons head (map str/capitalize tail)))))

(defn camel-case-keys
  "Returns a map with its keys in camel case and without namespace, at the top level only."
  [value]
  (if (and (instance? Map value) (not (record? value)))
    (into {} (map (fn [[k v]] [(camel-case k) v])) value)
    value))
