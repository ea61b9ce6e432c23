import type { JSX } from "preact";
import type { ObjectAnswer } from "../../src/answers.ts";
import { paths } from "../data/source.ts";
import { useAnswer } from "../data/use-answer.ts";
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
  version,
  against,
}: {
  readonly answer: ObjectAnswer;
  readonly version: number | undefined;
  readonly against: number | undefined;
}): JSX.Element {
  const { id, name, type, nickname, metadata, problem } = answer;
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
      <ObjectVersions key={id} answer={answer} version={version} against={against} />
      <section class="card" aria-labelledby="metadata-title">
        <h2 id="metadata-title">Metadata of version {answer.version}</h2>
        {metadata.length === 0 ? (
          <p class="quiet">none</p>
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
      <ObjectLinks answer={answer} />
      <ObjectGraph id={id} />
    </>
  );
}
