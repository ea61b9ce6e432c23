import type { JSX } from "preact";
import type { ObjectAnswer, VersionAnswer, VersionRow } from "../../src/answers.ts";
import type { Answered } from "../data/answered.ts";
import { paths } from "../data/source.ts";
import { useAnswer } from "../data/use-answer.ts";
import { isIncluded } from "../figures/shown-version.ts";
import { goTo, useSnapshot } from "../inspector.ts";
import { Copied } from "../parts/copied.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Difference } from "../parts/difference.tsx";
import { LongText } from "../parts/long-text.tsx";
import { Damage, Shown } from "../parts/states.tsx";
import { linkTo } from "../route.ts";
import { count, time } from "../text/format.ts";
import { visibleText } from "../text/visible-text.ts";

/** The versions of an object, the content of one, and its differences from another one. */
export function ObjectVersions({
  answer,
  shown,
  version,
  against,
}: {
  readonly answer: ObjectAnswer;
  readonly shown: Answered<VersionAnswer>;
  readonly version: number;
  readonly against: number | undefined;
}): JSX.Element {
  const { id, versions } = answer;
  const columns: readonly Column<VersionRow>[] = [
    {
      title: "Version",
      isNumber: true,
      cell: (row) =>
        isIncluded(answer, row.version) ? (
          <a
            href={linkTo({ view: "object", id, version: row.version })}
            aria-current={row.version === version ? "true" : undefined}
          >
            {row.version}
          </a>
        ) : (
          <span class="quiet">{row.version} (not in this snapshot)</span>
        ),
      order: (row) => row.version,
    },
    { title: "Time", cell: ({ at }) => time(at), order: ({ at }) => at },
    { title: "By", cell: ({ generator }) => visibleText(generator) },
    {
      title: "Characters",
      isNumber: true,
      cell: ({ characters }) => (characters === undefined ? "–" : count(characters)),
      order: ({ characters = 0 }) => characters,
    },
    { title: "Transaction", isNumber: true, cell: ({ transaction }) => count(transaction) },
    hashColumn("Content hash", (row) => row.contentHash),
    hashColumn("Metadata hash", (row) => row.metadataViewHash),
    hashColumn("Object hash", (row) => row.objectHash),
  ];
  const pick = (
    label: string,
    value: number | undefined,
    onPick: (picked?: number) => void,
  ): JSX.Element => (
    <label>
      {label}{" "}
      <select
        value={value === undefined ? "" : String(value)}
        onChange={(event) => {
          const picked = event.currentTarget.value;
          onPick(picked === "" ? undefined : Number(picked));
        }}
      >
        {label === "Compare with" ? <option value="">nothing</option> : null}
        {versions.map((row) => (
          <option
            key={row.version}
            value={String(row.version)}
            disabled={!isIncluded(answer, row.version)}
          >
            version {row.version}
            {isIncluded(answer, row.version) ? "" : " (not in this snapshot)"}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <section class="card" aria-labelledby="content-title">
        <div class="cardhead">
          <h2 id="content-title">Content of version {version}</h2>
          {pick("Version", version, (picked) =>
            goTo({
              view: "object",
              id,
              ...(picked === undefined ? {} : { version: picked }),
              ...againstOf(against),
            }),
          )}
          {versions.length < 2
            ? null
            : pick("Compare with", against, (picked) =>
                goTo({ view: "object", id, version, ...againstOf(picked) }),
              )}
        </div>
        {isIncluded(answer, version) && isIncluded(answer, against) ? (
          <Shown answered={shown} what={`version ${version}`}>
            {(value) =>
              against === undefined ? (
                <Content answer={value} />
              ) : (
                <Compared id={id} version={value} against={against} />
              )
            }
          </Shown>
        ) : (
          <p class="quiet">This version is not in the snapshot.</p>
        )}
      </section>
      <section class="card" aria-labelledby="versions-title">
        <h2 id="versions-title">Versions</h2>
        <DataTable
          caption="All versions, oldest first. The hashes are SHA-256."
          columns={columns}
          rows={versions}
          keyOf={(row) => row.version}
          empty="No version can be read."
          rowClass={(row) => (row.version === version ? "chosen" : undefined)}
        />
      </section>
    </>
  );
}

function againstOf(against: number | undefined): { readonly against?: number } {
  return against === undefined ? {} : { against };
}

function Content({ answer }: { readonly answer: VersionAnswer }): JSX.Element {
  const { content, fields, isVerified, problem, mediaType } = answer;
  const isRedacted = useSnapshot()?.isRedacted === true;
  return (
    <>
      {isVerified && problem === undefined ? (
        <p class="quiet">
          ✓ verified{isRedacted ? " before its texts were removed" : ""}
          {mediaType === undefined ? "" : ` · ${visibleText(mediaType)}`}
        </p>
      ) : (
        <Damage
          title="This version is damaged"
          problems={[problem ?? "It could not be compared with its hashes."]}
        />
      )}
      {content === null ? (
        <p class="quiet">This version has no content.</p>
      ) : (
        <LongText text={content} label={`content of version ${answer.version}`} />
      )}
      {fields.map(({ name, json }) => (
        <details key={name}>
          <summary>{visibleText(name)}</summary>
          <LongText text={json} label={`field ${name}`} />
        </details>
      ))}
    </>
  );
}

function Compared({
  id,
  version,
  against,
}: {
  readonly id: string;
  readonly version: VersionAnswer;
  readonly against: number;
}): JSX.Element {
  const other: Answered<VersionAnswer> = useAnswer<VersionAnswer>(paths.version(id, against));
  return (
    <Shown answered={other} what={`version ${against}`}>
      {(value) => (
        <Difference
          before={textOf(value)}
          after={textOf(version)}
          label={`from version ${against} to version ${version.version}`}
        />
      )}
    </Shown>
  );
}

/** What is compared: the content, and the long fields after it. */
function textOf({ content, fields }: VersionAnswer): string {
  return [content ?? "", ...fields.map(({ name, json }) => `${name}: ${json}`)].join("\n");
}

function hashColumn(title: string, hash: (row: VersionRow) => string): Column<VersionRow> {
  return {
    title,
    cell: (row) => (
      <Copied value={hash(row)} label={`${title.toLowerCase()} of version ${row.version}`} />
    ),
  };
}
