(ns scm-node.parameters
  "The query string of a request, decoded to the types that the routes need."
  (:require [clojure.instant :as instant]
            [clojure.string :as str]
            [scm-node.json :as json]
            [xtdb.codec :as codec])
  (:import (java.net URLDecoder)))

(set! *warn-on-reflection* true)

(defn refuse-parameter
  "Refuses a request with 400, like the official server's coercion."
  [where problem]
  (throw (ex-info problem {::refusal {:type :reitit.coercion/request-coercion
                                      :in [:request where]
                                      :message problem}})))

(defn- kebab-case [k]
  (-> k
      (str/replace #"([a-z0-9])([A-Z])" "$1-$2")
      str/lower-case))

(defn parse
  "Returns the parameters of a raw query string by their kebab-case names. Of a repeated parameter the last one counts."
  [raw-query]
  (if (str/blank? raw-query)
    {}
    (into {}
          (map (fn [pair]
                 (let [[^String k ^String v] (str/split pair #"=" 2)]
                   [(keyword (kebab-case (URLDecoder/decode k "UTF-8")))
                    (if v (URLDecoder/decode v "UTF-8") "")])))
          (remove str/blank? (str/split raw-query #"&")))))

(defn- decoded [parameters k wanted decode]
  (when-some [text (get parameters k)]
    (let [value (try
                  (decode text)
                  (catch Exception _ ::unreadable))]
      (if (= ::unreadable value)
        (refuse-parameter :query-params (str (name k) " is " (pr-str text) "; it must be " wanted))
        value))))

(defn whole-number [parameters k]
  (decoded parameters k "a whole number" (fn [^String text] (Long/parseLong text))))

(defn date [parameters k]
  (decoded parameters k "a time such as 2026-01-31T09:00:00.123Z" instant/read-instant-date))

(defn truth [parameters k]
  (decoded parameters k "true or false" #(case % "true" true "false" false)))

(defn edn [parameters k]
  (decoded parameters k "EDN" codec/read-edn-string-with-readers))

(defn json [parameters k]
  (decoded parameters k "JSON" json/read-text))

(defn required [value k]
  (if (nil? value)
    (refuse-parameter :query-params (str (name k) " is missing"))
    value))

(defn entity-id
  "Returns the id in eidEdn, eidJson or eid, in this order, or nil if all are missing."
  [parameters]
  (let [id (cond
             (contains? parameters :eid-edn) (edn parameters :eid-edn)
             (contains? parameters :eid-json) (json parameters :eid-json)
             :else (:eid parameters))]
    (if (or (nil? id) (codec/valid-id? id))
      id
      (refuse-parameter :query-params "the entity id has a type that XTDB does not accept as an id"))))
