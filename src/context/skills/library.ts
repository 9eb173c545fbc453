import { allOf, type Kept, readCache, readMade, writeKept, writeMade } from "../disk-cache.ts";
import type { Files } from "../files.ts";
import { formatLeftOut } from "../replacing.ts";
import { type Asked, askedFiles, isUnchanged } from "../tracked-files.ts";
import { chooseByName, type PlacedSkill } from "./choose.ts";
import { discovered, type FoundFile, MOST_SKILLS } from "./discover.ts";
import { type SkillGrant, skillGrants } from "./grants.ts";
import { type MadeSkills, madeSkillIndex, skillIndex } from "./index-file.ts";
import { misplaced } from "./misplaced.ts";
import { type SkillSearch, skillPlaces } from "./places.ts";
import { type ReadSkill, readSkill, withheldReason } from "./read-skill.ts";
import { type Replacing, replacingGrant } from "./replacing.ts";
import { NO_SKILLS, type Skill, type SkillOrigin, type Skills } from "./skill.ts";

export interface SkillLibrary {
  /** As they were when they were looked at last. */
  readonly now: Skills;
  /** Looks at every file there is, and reads those that have changed. Never rejects. */
  look(): Promise<Skills>;
  /** What the directory's own skills ask for; the same whether it is trusted or not. */
  grants(): Promise<readonly SkillGrant[]>;
}

/** The skills of one session; what was read of a file is kept in an index, so that the next session need not read it. */
export function skillLibrary(search: SkillSearch, files: Files): SkillLibrary {
  const index = skillIndex(search.home, search.cwd);
  let known: Kept<ReadSkill> | null = null;
  let now = NO_SKILLS;
  let replacing: readonly Replacing[] = [];
  let last: { readonly asked: Asked; readonly trusted: boolean } | null = null;
  let looking: Promise<Skills> = Promise.resolve(now);

  async function look(): Promise<Skills> {
    const trusted = search.trusted();
    const still = last?.trusted === trusted ? isUnchanged(last.asked, files) : null;
    if (still !== null) {
      last = { asked: still, trusted };
      return now;
    }
    const list = madeSkillIndex(search, trusted);
    const kept = last === null ? readMade(list, files) : null;
    if (kept !== null && !kept.made.reals.some(search.denied)) {
      last = { asked: kept.asked, trusted };
      ({ skills: now, replacing } = kept.made);
      return now;
    }
    const before = known ?? readCache(index, files);
    const asked = askedFiles(files);
    const places = skillPlaces(search, asked);
    const { found, strays, full } = discovered(places, asked);
    const realOf = once(asked.real);
    const reads = await allOf(found.map((file) => readOnce(file, before, { files, realOf })));
    const after: Kept<ReadSkill> = new Map(reads.map(({ key, stamp, read }) => [key, { stamp, read }]));
    known = after;
    const isSame = reads.length === before.size && reads.every(({ fresh }) => !fresh);
    if (!isSame) writeKept(index, after);
    const strayNotes = misplaced(strays, places, asked);
    const { isDenied, ...made } = gathered(found, reads, full, { realOf, trusted, before: strayNotes });
    if (!isDenied) writeMade(list, { asked: asked.asked, made });
    last = { asked: asked.asked, trusted };
    ({ skills: now, replacing } = made);
    return now;
  }

  function gathered(
    found: readonly FoundFile[],
    reads: readonly Read[],
    full: boolean,
    {
      realOf,
      trusted,
      before,
    }: {
      readonly realOf: Files["real"];
      readonly trusted: boolean;
      readonly before: readonly string[];
    },
  ): MadeSkills & { readonly isDenied: boolean } {
    let isDenied = false;
    const told = {
      trusted: search.trusted,
      denied(path: string) {
        const denied = search.denied(path);
        isDenied ||= denied;
        return denied;
      },
    };
    const notes = [...before];
    const seen = new Set<string>();
    const given: PlacedSkill[] = [];
    for (const [at, { read }] of reads.entries()) {
      const file = found[at];
      // A link to a skill that is there already is the same one.
      if (file === undefined || seen.has(read.real)) continue;
      seen.add(read.real);
      const why = withheldReason(read.real, file, told, realOf);
      notes.push(...(why === null ? read.notes : [why]));
      if (why !== null || read.skill === null) continue;
      given.push({ skill: read.skill, place: file.place });
    }
    const { skills, replacing, twice } = chooseByName(given, { trusted, reserved: search.reserved });
    const left = trusted ? null : formatLeftOut("skills", replacing);
    if (left !== null) notes.unshift(left);
    notes.push(...twice);
    if (full) notes.push(`There are more than ${MOST_SKILLS} skills and commands; the others are left out.`);
    return {
      skills: { all: skills.toSorted(byPlaceAndName), notes },
      ...{ replacing, reals: [...seen], isDenied },
    };
  }

  function next(): Promise<Skills> {
    looking = looking.then(look);
    return looking;
  }

  return {
    get now() {
      return now;
    },
    look: next,
    async grants() {
      const { all } = await next();
      const skills = new Set([...all, ...replacing.map(({ skill }) => skill)]);
      return [...replacing.map(replacingGrant), ...skillGrants([...skills])];
    },
  };
}

/** Many files are in few folders, and each is asked of the disk once. */
function once(real: Files["real"]): Files["real"] {
  const known = new Map<string, string>();
  return (path) => {
    const found = known.get(path) ?? real(path);
    known.set(path, found);
    return found;
  };
}

interface Read {
  readonly key: string;
  readonly stamp: string;
  readonly read: ReadSkill;
  /** It was read now. */
  readonly fresh: boolean;
}

function readOnce(
  file: FoundFile,
  before: Kept<ReadSkill>,
  { files, realOf }: { readonly files: Files; readonly realOf: Files["real"] },
): Read | Promise<Read> {
  const { path, place, look } = file;
  const key = `${place.origin} ${place.kind} ${place.prefix} ${path}`;
  const stamp = look.type === "file" ? look.stamp : look.reason;
  // A file can be moved, and a link stand in its place, and it is as it was: where it really is counts, too.
  const straight = realOf(place.folder) + path.slice(place.folder.length);
  const asked = (real: string) => (real === straight ? real : realOf(path));
  const kept = before.get(key);
  if (kept?.stamp === stamp && kept.read.real === asked(files.real(path)))
    return { key, stamp, read: kept.read, fresh: false };
  return readSkill(file, files).then((read) => ({
    ...{ key, stamp, fresh: true },
    read: { ...read, real: asked(read.real) },
  }));
}

const RANK: Readonly<Record<SkillOrigin, number>> = {
  project: 0,
  user: 1,
  enterprise: 2,
  plugin: 3,
  shipped: 4,
};

/** The same everywhere, so that what is told of them is the same bytes. */
function byPlaceAndName(a: Skill, b: Skill): number {
  const place = RANK[a.origin] - RANK[b.origin];
  return place === 0 ? (a.name < b.name ? -1 : 1) : place;
}
