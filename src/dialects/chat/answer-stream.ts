/** F-5: a whole answer to a request that wanted a stream, turned into one. Values are copied as slices. */
import { type BodyView, type Member, member } from '../bytes/body-view.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import { objectAt, objectsIn } from '../bytes/nested.ts';
import { utf8 } from '../bytes/text.ts';
import type { Answer, AnswerWrite } from '../contract.ts';
import { DATA_PREFIX, EVENT_END } from './chunk-writer.ts';
import { DONE } from './held-end.ts';
import { reportEdit } from './response.ts';

const EMPTY_OBJECT = utf8('{}');
const NO_CHOICES = utf8('[]');
const NULL = utf8('null');
const OBJECT = utf8('"chat.completion.chunk"');

/** Per choice a role chunk, one with everything it says and a finish chunk; then usage if asked, and `[DONE]`. */
export function answerToStream(answer: Answer, write: AnswerWrite, includeUsage: boolean): Uint8Array {
  const out = new ByteWriter();
  const envelope = envelopeEdits(write);
  const choices = objectsIn(answer.view, 'choices');
  choices.forEach((choice, at) => {
    const last = at === choices.length - 1;
    const [role, content, finish] = choiceChunks(choice, at);
    for (const json of [role, content]) writeChunk(out, answer.view, [...envelope, choicesEdit(json)]);
    const report = last && write.report !== null ? [reportEdit(write.report, write.classic)] : [];
    writeChunk(out, answer.view, [...envelope, choicesEdit(finish), ...report]);
  });
  const usage = member(answer.view, 'usage');
  if (includeUsage && usage !== null && answer.view.bytes[usage.valueStart] === OPEN_BRACE) {
    const kept = envelope.filter((change) => change.key !== 'usage');
    writeChunk(out, answer.view, [...kept, { op: 'set', key: 'choices', value: NO_CHOICES }]);
  }
  out.write(DONE);
  return out.take();
}

/** Everything of the answer beside its choices stays in every chunk, as upstreams themselves do it. */
function envelopeEdits(write: AnswerWrite): Edit[] {
  return [
    { op: 'set', key: 'object', value: OBJECT },
    setJson('model', write.servedModel),
    { op: 'remove', key: 'usage' },
  ];
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

/** Calls get the index by which clients put a stream's fragments together. */
function contentDelta(choice: BodyView): Uint8Array {
  const message = objectAt(choice, 'message');
  if (message === null) return EMPTY_OBJECT;
  const edits: Edit[] = [{ op: 'remove', key: 'role' }];
  const calls = objectsIn(message, 'tool_calls');
  if (calls.length > 0) {
    const indexed = calls.map((call, at) => {
      const json = member(call, 'index') === null ? edit(call, [setJson('index', at)]) : edit(call, []);
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
