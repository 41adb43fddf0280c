/** The contents of a request as turns. */
import { type BodyView, readString } from '../bytes/body-view.ts';
import { objectsIn } from '../bytes/nested.ts';
import type { Call, Opaque, Part, ToolResult, Turn } from '../canonical.ts';
import { argumentsText, memberText, objectsAt } from '../cross/json-text.ts';
import { type MediaPart, mediaOf } from '../cross/media.ts';
import { ownVendor, readOpaque } from '../cross/opaque-marks.ts';
import { given, objectGiven, valueGiven } from './fields.ts';
import { isStored } from './file-places.ts';
import { readOutput } from './function-output.ts';
import { type Gathered, noteOthers } from './gathered.ts';

const OWN = ownVendor('gemini');

/** What a part says that no other dialect has words for, as P-6 names it. */
const BUILT_IN = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'] as const;
/** Members that the model has a place for; how media is to be looked at and the like are nudges. */
const KNOWN_OF_PART: ReadonlySet<string> = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  ...BUILT_IN,
]);
const KNOWN_OF_SAID: ReadonlySet<string> = new Set([...KNOWN_OF_PART].filter((name) => name !== 'thought'));
const KNOWN_BUT_MARKS: ReadonlySet<string> = new Set([...KNOWN_OF_SAID].filter((name) => name !== 'thoughtSignature'));
const KNOWN_OF_CONTENT: ReadonlySet<string> = new Set(['role', 'parts']);
const KNOWN_OF_CALL: ReadonlySet<string> = new Set(['id', 'name', 'args']);
const KNOWN_OF_RESULT: ReadonlySet<string> = new Set(['id', 'name', 'response', 'parts']);
const KNOWN_OF_MEDIA: ReadonlySet<string> = new Set(['mimeType', 'data', 'fileUri', 'displayName']);
const KNOWN_IN_RESULT: ReadonlySet<string> = new Set(['inlineData', 'fileData']);

/** A text says what is wrong. */
export function readContents(view: BodyView, gathered: Gathered): Turn[] | string {
  const reader = new ContentsReader(gathered);
  for (const [at, content] of objectsOf(view, 'contents').entries()) {
    const problem = content === null ? `\`contents[${at}]\` must be an object.` : reader.content(content, at);
    if (problem !== null) return problem;
  }
  return reader.turns;
}

/** The objects in a list, null for what is none; a single one may stand for the list of one. */
function objectsOf(view: BodyView, name: string): readonly (BodyView | null)[] {
  const single = objectGiven(view, name);
  if (single !== null) return [single];
  const found = given(view, name);
  return found === null ? [] : (objectsAt(view, found.key) ?? [null]);
}

class ContentsReader {
  readonly turns: Turn[] = [];
  readonly #gathered: Gathered;
  /** Calls that have no result yet, in order. */
  #waiting: Call[] = [];

  constructor(gathered: Gathered) {
    this.#gathered = gathered;
  }

  content(content: BodyView, at: number): string | null {
    const role = readString(content, 'role') || 'user';
    if (role !== 'user' && role !== 'model' && role !== 'function') {
      return `\`contents[${at}].role\` must be user or model.`;
    }
    noteOthers(content, KNOWN_OF_CONTENT, 'contents', this.#gathered);
    const parts: Part[] = [];
    for (const [place, view] of objectsOf(content, 'parts').entries()) {
      const part = view === null ? null : this.#part(view, at, place);
      if (part === null) return `\`contents[${at}].parts[${place}]\` says nothing that is known.`;
      if (part !== 'nothing') parts.push(part);
    }
    if (role === 'model') this.#spoken(parts);
    else this.turns.push({ role: 'user', parts });
    return null;
  }

  /** Clients put the chunks of a stream one by one into their history: together they are one answer. */
  #spoken(parts: readonly Part[]): void {
    const last = this.turns.at(-1);
    const goesOn = last?.role === 'assistant';
    const all = joined(goesOn ? [...last.parts, ...parts] : parts);
    if (goesOn) this.turns.pop();
    this.turns.push({ role: 'assistant', parts: all });
    this.#waiting = all.filter((part) => part.type === 'call');
  }

  #part(view: BodyView, at: number, place: number): Part | 'nothing' | null {
    noteOthers(view, KNOWN_OF_PART, 'contents.parts', this.#gathered);
    const opaque = opaqueOf(view);
    const call = objectGiven(view, 'functionCall');
    if (call !== null) {
      noteOthers(view, KNOWN_OF_SAID, 'contents.parts', this.#gathered);
      noteOthers(call, KNOWN_OF_CALL, 'functionCall', this.#gathered);
      return readCall(call, `call_${at}_${place}`, opaque);
    }
    // Thoughts and what was thought are texts and calls: elsewhere their marks have no place.
    const response = objectGiven(view, 'functionResponse');
    if (response !== null || given(view, 'text') === null)
      noteOthers(view, KNOWN_BUT_MARKS, 'contents.parts', this.#gathered);
    if (response !== null) return this.#result(response, at, place);
    const media = objectGiven(view, 'inlineData') ?? objectGiven(view, 'fileData');
    if (media !== null) return this.#media(media);
    if (BUILT_IN.some((name) => given(view, name) !== null)) {
      this.#gathered.bound.add('builtin_tool');
      return 'nothing';
    }
    const text = valueGiven(view, 'text');
    if (text !== undefined && typeof text !== 'string') return null;
    return readText(text ?? '', view, opaque);
  }

  #result(response: BodyView, at: number, place: number): ToolResult {
    noteOthers(response, KNOWN_OF_RESULT, 'functionResponse', this.#gathered);
    const told = readString(response, 'id');
    const name = readString(response, 'name') ?? null;
    const call = this.#answered(typeof told === 'string' && told !== '' ? told : null, name);
    const output = given(response, 'response');
    const media = objectsIn(response, 'parts').flatMap((part): Part[] => {
      noteOthers(part, KNOWN_IN_RESULT, 'functionResponse.parts', this.#gathered);
      const inline = objectGiven(part, 'inlineData') ?? objectGiven(part, 'fileData');
      const read = inline === null ? null : this.#media(inline);
      return read === null || read === 'nothing' ? [] : [read];
    });
    return {
      type: 'result',
      callId: call?.id ?? (told || `call_${at}_${place}`),
      name: name ?? call?.name ?? null,
      ...readOutput(output === null ? '{}' : memberText(response, output), media),
    };
  }

  /** The call it answers: by id, else the first of its name that waits. */
  #answered(id: string | null, name: string | null): Call | undefined {
    const waiting = this.#waiting;
    const found = waiting.findIndex((call) => (id === null ? call.name === name : call.id === id));
    return found < 0 ? undefined : waiting.splice(found, 1)[0];
  }

  #media(media: BodyView): MediaPart | 'nothing' | null {
    noteOthers(media, KNOWN_OF_MEDIA, 'contents.parts.inlineData', this.#gathered);
    const mime = valueGiven(media, 'mimeType');
    const type = typeof mime === 'string' && mime !== '' ? mime.toLowerCase() : null;
    const name = readString(media, 'displayName') ?? readString(media, 'display_name') ?? null;
    const data = valueGiven(media, 'data');
    const uri = valueGiven(media, 'fileUri');
    const kind = type === null ? 'image' : mediaOf(type);
    const base = { type: 'media', media: kind, mime: type, name, detail: null } as const;
    if (typeof data === 'string') return { ...base, source: { by: 'base64', data } };
    if (typeof uri !== 'string') return null;
    if (!isStored(uri)) return { ...base, source: { by: 'url', url: uri } };
    this.#gathered.bound.add('state');
    return 'nothing';
  }
}

function readCall(call: BodyView, fallbackId: string, opaque: Opaque | null): Call | null {
  const name = readString(call, 'name');
  if (typeof name !== 'string' || name === '') return null;
  const args = given(call, 'args');
  return {
    type: 'call',
    id: readString(call, 'id') || fallbackId,
    name,
    form: 'function',
    input: args === null ? '{}' : argumentsText(memberText(call, args)),
    ...(opaque === null ? {} : { opaque }),
  };
}

function readText(text: string, view: BodyView, opaque: Opaque | null): Part | 'nothing' {
  if (valueGiven(view, 'thought') === true) {
    if (text === '' && opaque === null) return 'nothing';
    return { type: 'reasoning', text, summary: true, opaque: opaque === null ? null : sealedIf(text === '', opaque) };
  }
  if (text === '') return opaque === null ? 'nothing' : sealed(opaque);
  return { type: 'text', text, ...(opaque === null ? {} : { opaque }) };
}

/** A signature that stands for itself is a thought nobody can read. */
function sealed(opaque: Opaque): Part {
  return { type: 'reasoning', text: '', summary: true, opaque: sealedIf(true, opaque) };
}

/** What carried its kind through another dialect keeps it. */
function sealedIf(alone: boolean, opaque: Opaque): Opaque {
  return alone && opaque.vendor === OWN ? { ...opaque, kind: 'sealed' } : opaque;
}

function opaqueOf(view: BodyView): Opaque | null {
  const signature = valueGiven(view, 'thoughtSignature');
  return typeof signature === 'string' && signature !== '' ? readOpaque(signature, 'signature', null, OWN) : null;
}

/** Pieces of one text, or of one thought, put together again; what is signed ends there. */
function joined(parts: readonly Part[]): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.type === 'text' && last?.type === 'text' && last.opaque === undefined) {
      all[all.length - 1] = { ...part, text: last.text + part.text };
    } else if (part.type === 'reasoning' && last?.type === 'reasoning' && last.opaque === null) {
      all[all.length - 1] = { ...part, text: last.text + part.text, opaque: asSigned(part.opaque) };
    } else {
      all.push(part);
    }
  }
  return all;
}

/** Behind a thought's text a lone signature is that text's own. */
function asSigned(opaque: Opaque | null): Opaque | null {
  return opaque !== null && opaque.vendor === OWN ? { ...opaque, kind: 'signature' } : opaque;
}
