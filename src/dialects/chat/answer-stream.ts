/** F-5: a whole answer to a request that wanted a stream, turned into one. Values are copied as slices. */
import { type BodyView, isScanError, type Member, member, readJson, scanObject } from '../bytes/body-view.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import { objectAt, objectsIn } from '../bytes/nested.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type { Answer, AnswerWrite, ClientRequest } from '../contract.ts';
import { DATA_PREFIX, EVENT_END } from './chunk-writer.ts';
import { DONE } from './held-end.ts';
import { reportEdit } from './response.ts';

const EMPTY_OBJECT = utf8('{}');
const NO_CHOICES = utf8('[]');
const NULL = utf8('null');
/** What an event of a stream is. */
export const CHUNK_OBJECT: Edit = { op: 'set', key: 'object', value: utf8('"chat.completion.chunk"') };

/** Per choice a role chunk, one with everything it says and a finish chunk; then usage if asked, and `[DONE]`. */
export function answerToStream(
  answer: Answer,
  write: AnswerWrite,
  { includeUsage }: Pick<ClientRequest, 'includeUsage'>,
): Uint8Array {
  const out = new ByteWriter();
  const envelope = envelopeEdits(write);
  const choices = objectsIn(answer.view, 'choices');
  const later = slimmed(answer.view);
  choices.forEach((choice, at) => {
    const last = at === choices.length - 1;
    const [role, content, finish] = choiceChunks(choice, at);
    writeChunk(out, at === 0 ? answer.view : later, [...envelope, choicesEdit(role)]);
    writeChunk(out, later, [...envelope, choicesEdit(content)]);
    const report = last && write.report !== null ? [reportEdit(write.report, write.classic)] : [];
    writeChunk(out, later, [...envelope, choicesEdit(finish), ...report]);
  });
  const usage = member(answer.view, 'usage');
  if (includeUsage && usage !== null && answer.view.bytes[usage.valueStart] === OPEN_BRACE) {
    const kept = envelope.filter((change) => change.key !== 'usage');
    writeChunk(out, answer.view, [...kept, { op: 'set', key: 'choices', value: NO_CHOICES }]);
  }
  out.write(DONE);
  return out.take();
}

/** More than this beside the choices is said once, not in every chunk: a hostile answer would grow a thousandfold. */
const MAX_ENVELOPE = 4096;
const WRITTEN_ANEW: ReadonlySet<string> = new Set(['object', 'model', 'choices', 'usage']);
/** What clients read of any chunk. */
const IN_EVERY_CHUNK = ['id', 'created', 'system_fingerprint', 'service_tier'];
const MAX_FIELD = 256;

/** The answer as the chunks after the first have it: whole where there is little beside the choices. */
function slimmed(view: BodyView): BodyView {
  const beside = view.members.filter(({ key }) => !WRITTEN_ANEW.has(key));
  const length = beside.reduce((sum, { keyStart, valueEnd }) => sum + valueEnd - keyStart, 0);
  if (length <= MAX_ENVELOPE) return view;
  const kept = IN_EVERY_CHUNK.map((key) => member(view, key)).filter((found) => found !== null);
  const small = kept.filter(({ keyStart, valueEnd }) => valueEnd - keyStart <= MAX_FIELD);
  const fields = small.map(({ keyStart, valueEnd }) => textOf(view.bytes, keyStart, valueEnd));
  const bytes = utf8(`{${fields.join(',')}}`);
  const slim = scanObject(bytes);
  return isScanError(slim) ? view : slim;
}

/** Everything of the answer beside its choices stays in every chunk, as upstreams themselves do it. */
function envelopeEdits(write: AnswerWrite): Edit[] {
  return [CHUNK_OBJECT, setJson('model', write.servedModel), { op: 'remove', key: 'usage' }];
}

function choicesEdit(choice: Uint8Array): Edit {
  return { op: 'set', key: 'choices', value: Buffer.concat([utf8('['), choice, utf8(']')]) };
}

/** JSON keeps its own line breaks; on one `data:` line they become spaces. No JSON string holds a raw one. */
function writeChunk(out: ByteWriter, view: BodyView, edits: readonly Edit[]): void {
  const json = edit(view, edits);
  for (let i = 0; i < json.length; i++) if (json[i] === 0x0a || json[i] === 0x0d) json[i] = 0x20;
  out.write(DATA_PREFIX);
  out.write(json);
  out.write(EVENT_END);
}

type Chunks = readonly [role: Uint8Array, content: Uint8Array, finish: Uint8Array];

/** The members of a choice go where a stream has them: `message` as delta, `logprobs` beside it, the rest at the end. */
function choiceChunks(choice: BodyView, at: number): Chunks {
  const index: Edit[] = member(choice, 'index') === null ? [setJson('index', at)] : [];
  const without = (...keys: string[]): Edit[] => [...index, ...keys.map((key): Edit => ({ op: 'remove', key }))];
  const delta = (value: Uint8Array): Edit => ({ op: 'set', key: 'delta', value });
  const bare = choice.members.map((one) => one.key).filter((key) => !['index', 'logprobs'].includes(key));
  const noFinish: Edit = { op: 'set', key: 'finish_reason', value: NULL };
  const start = bare.filter((key) => key !== 'finish_reason');
  const role = edit(choice, [...without(...start, 'logprobs'), delta(roleDelta(choice)), noFinish]);
  const content = edit(choice, [...without(...start), delta(contentDelta(choice)), noFinish]);
  const finish = edit(choice, [...without('message', 'logprobs'), delta(EMPTY_OBJECT)]);
  return [role, content, finish];
}

function roleDelta(choice: BodyView): Uint8Array {
  const message = objectAt(choice, 'message');
  const role = message === null ? null : member(message, 'role');
  const name = role === null ? utf8('"assistant"') : slice(message!, role);
  return Buffer.concat([utf8('{"role":'), name, utf8(',"content":""}')]);
}

function contentDelta(choice: BodyView): Uint8Array {
  const message = objectAt(choice, 'message');
  return message === null ? EMPTY_OBJECT : messageDelta(message, [{ op: 'remove', key: 'role' }]);
}

/**
 * A message as a delta: calls get the index by which clients put a stream's fragments together, their place among the
 * others unless it is told.
 */
export function messageDelta(message: BodyView, edits: Edit[], indexes: readonly number[] = []): Uint8Array {
  const calls = objectsIn(message, 'tool_calls');
  if (calls.length > 0) {
    const indexed = calls.map((call, at) => {
      const json =
        typeof readJson(call, 'index') !== 'number'
          ? edit(call, [setJson('index', indexes[at] ?? at)])
          : edit(call, []);
      return at === 0 ? json : Buffer.concat([utf8(','), json]);
    });
    const value = Buffer.concat([utf8('['), ...indexed, utf8(']')]);
    edits.push({ op: 'set', key: 'tool_calls', value });
  }
  return edit(message, edits);
}

function slice(view: BodyView, found: Member): Uint8Array {
  return view.bytes.subarray(found.valueStart, found.valueEnd);
}
