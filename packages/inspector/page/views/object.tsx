import type { JSX } from "preact";
import type { ObjectAnswer, VersionAnswer } from "../../src/answers.ts";
import type { Answered } from "../data/answered.ts";
import { paths } from "../data/source.ts";
import { useAnswer } from "../data/use-answer.ts";
import { isIncluded, shownVersion } from "../figures/shown-version.ts";
import { useInspector } from "../inspector.ts";
import { Copied } from "../parts/copied.tsx";
import { Name } from "../parts/name.tsx";
import { Damage, Shown } from "../parts/states.tsx";
import { linkTo } from "../route.ts";
import { ObjectGraph } from "./object-graph.tsx";
import { ObjectInView } from "./object-in-view.tsx";
import { ObjectLinks } from "./object-links.tsx";
import { ObjectVersions } from "./object-versions.tsx";

/** An object: its metadata, versions, places in views, references and links. */
export function ObjectView({
  id,
  version,
  against,
}: {
  readonly id: string;
  readonly version: number | undefined;
  readonly against: number | undefined;
}): JSX.Element {
  const { news } = useInspector();
  const isNew = news.value?.changed.some((one) => one.id === id) === true;
  const answered = useAnswer<ObjectAnswer>(paths.object(id), isNew ? news.value?.position : "");
  return (
    <>
      <p class="path">
        <a href={linkTo({ view: "sessions" })}>Sessions</a> / object
      </p>
      {answered.state === "done" ? null : <h1>Object</h1>}
      <Shown answered={answered} what="the object">
        {(answer) => <ObjectPage answer={answer} version={version} against={against} />}
      </Shown>
    </>
  );
}

function ObjectPage({
  answer,
  version: wanted,
  against,
}: {
  readonly answer: ObjectAnswer;
  readonly version: number | undefined;
  readonly against: number | undefined;
}): JSX.Element {
  const { id, name, type, nickname, problem } = answer;
  const version = shownVersion(answer, wanted);
  const shown = useAnswer<VersionAnswer>(paths.version(id, version));
  return (
    <>
      <h1>
        <Name text={name} />
      </h1>
      <p class="quiet">
        {type}
        {nickname === undefined ? null : (
          <>
            {" · nickname "}
            <Name text={nickname} />
          </>
        )}
        {" · id "}
        <Copied value={id} label="id of the object" shown={40} />
      </p>
      {problem === undefined ? null : (
        <Damage title="This object is damaged" problems={[problem]} />
      )}
      <ObjectInView answer={answer} />
      {isIncluded(answer, version) ? null : <NotIncluded answer={answer} version={version} />}
      <ObjectVersions key={id} answer={answer} shown={shown} version={version} against={against} />
      <Metadata answer={answer} shown={shown} version={version} />
      <ObjectLinks answer={answer} />
      <ObjectGraph id={id} />
    </>
  );
}

/** Why a snapshot does not show a version. */
function NotIncluded({
  answer,
  version,
}: {
  readonly answer: ObjectAnswer;
  readonly version: number;
}): JSX.Element {
  const newest = answer.included?.at(-1);
  return (
    <p class="notice">
      This snapshot does not contain version {version}, because no call of its session showed it.{" "}
      {newest === undefined ? (
        "It contains no version of this object."
      ) : (
        <>
          The newest one that it contains is{" "}
          <a href={linkTo({ view: "object", id: answer.id, version: newest })}>version {newest}</a>.
        </>
      )}
    </p>
  );
}

/** The metadata of the shown version; if it is not there, that of the newest one. */
function Metadata({
  answer,
  shown,
  version,
}: {
  readonly answer: ObjectAnswer;
  readonly shown: Answered<VersionAnswer>;
  readonly version: number;
}): JSX.Element {
  const own = shown.state === "done" ? shown.value.metadata : [];
  const isOwn = shown.state === "loading" || own.length > 0;
  const metadata = isOwn ? own : answer.metadata;
  const newest = answer.versions.at(-1)?.version ?? answer.version;
  return (
    <section class="card" aria-labelledby="metadata-title">
      <h2 id="metadata-title">
        {isOwn ? `Metadata of version ${version}` : `Metadata of the newest version (${newest})`}
      </h2>
      {metadata.length === 0 ? (
        <p class="quiet">{shown.state === "loading" ? "Reading the metadata …" : "none"}</p>
      ) : (
        <dl class="pairs">
          {metadata.map(([field, value]) => [
            <dt key={field}>
              <Name text={field} />
            </dt>,
            <dd key={`${field} value`}>
              <Name text={value} />
            </dd>,
          ])}
        </dl>
      )}
    </section>
  );
}
