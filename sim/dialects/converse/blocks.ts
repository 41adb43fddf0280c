/** Content blocks of a request, each checked for its kind, its fields and its place. */
import { type Fields, isFields } from '../../answer/fields.ts';
import {
  constraint,
  fieldsAt,
  inside,
  listAt,
  objectAt,
  patternAt,
  refuse,
  textAt,
  unionAt,
  wordAt,
} from './refused.ts';
import { isSealed, isSignatureOf } from './thoughts.ts';

/** A block by the name of its only member, known to be well formed. */
export interface Block {
  readonly type: string;
  readonly value: unknown;
}

export interface BlockRules {
  readonly role: 'user' | 'assistant' | 'result';
  /** Names of documents seen so far: no two may be alike. */
  readonly documents: Set<string>;
}

const KINDS = [
  ...['text', 'image', 'document', 'video', 'audio', 'toolUse', 'toolResult', 'reasoningContent', 'cachePoint'],
  ...['guardContent', 'citationsContent', 'searchResult'],
];
/** What may stand in a result. */
const RESULT_KINDS = ['text', 'json', 'image', 'document', 'video', 'searchResult'];
/** What only one side says. */
const SIDES: Readonly<Record<string, 'user' | 'assistant'>> = {
  toolUse: 'assistant',
  reasoningContent: 'assistant',
  citationsContent: 'assistant',
  toolResult: 'user',
  image: 'user',
  document: 'user',
  video: 'user',
  audio: 'user',
};
const FORMATS: Readonly<Record<string, string>> = {
  image: 'png jpeg gif webp',
  document: 'pdf csv doc docx xls xlsx html txt md',
  video: 'mkv mov mp4 webm flv mpeg mpg wmv three_gp',
  audio: 'mp3 opus wav aac flac mp4 ogg mkv mka x-aac m4a mpeg mpga pcm webm',
};
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DOCUMENT_NAME = /^[A-Za-z0-9()[\]-]+(?: [A-Za-z0-9()[\]-]+)*$/;

/** Reads one list of blocks. Throws RefusedRequest. */
export function readBlocks(value: unknown, path: string, rules: BlockRules): Block[] {
  return listAt(value, path).map((block, i) => readBlock(block, inside(path, i), rules));
}

function readBlock(value: unknown, path: string, rules: BlockRules): Block {
  const [type, inner] = unionAt(value, path, rules.role === 'result' ? RESULT_KINDS : KINDS);
  const side = rules.role === 'result' ? undefined : SIDES[type];
  if (side !== undefined && side !== rules.role) {
    refuse(`The ${type} block at ${path} is not allowed in a message of the ${rules.role}.`);
  }
  const at = inside(path, type);
  switch (type) {
    case 'text':
      if (textAt(inner, at).trim() === '') {
        refuse(
          `The text field in the ContentBlock object at ${path} is blank. Add text to the text field, and try again.`,
        );
      }
      break;
    case 'json':
      objectAt(inner, at);
      break;
    case 'image':
    case 'video':
    case 'audio':
      checkMedia(fieldsAt(inner, at, ['format', 'source'], ['format', 'source']), at, type);
      break;
    case 'document':
      checkDocument(inner, at, rules);
      break;
    case 'toolUse':
      checkUse(inner, at);
      break;
    case 'toolResult':
      checkResult(inner, at, rules);
      break;
    case 'reasoningContent':
      checkThought(inner, at);
      break;
    case 'cachePoint':
      wordAt(fieldsAt(inner, at, ['type', 'ttl'], ['type'])['type'], inside(at, 'type'), ['default']);
      break;
    default:
      objectAt(inner, at);
  }
  return { type, value: inner };
}

function checkMedia(fields: Fields, path: string, kind: string): void {
  wordAt(fields['format'], inside(path, 'format'), FORMATS[kind]!.split(' '));
  const at = inside(path, 'source');
  const [by, data] = unionAt(fields['source'], at, ['bytes', 's3Location']);
  if (by === 'bytes') checkBytes(data, inside(at, by));
  else fieldsAt(data, inside(at, by), ['uri', 'bucketOwner'], ['uri']);
}

function checkBytes(value: unknown, path: string): void {
  const text = textAt(value, path);
  if (text === '') constraint(path, 'have length greater than or equal to 1');
  if (!BASE64.test(text)) refuse(`The value at ${path} is no base64.`);
}

function checkDocument(value: unknown, path: string, { documents }: BlockRules): void {
  const fields = fieldsAt(value, path, ['format', 'name', 'source', 'context', 'citations'], ['name', 'source']);
  const name = patternAt(fields['name'], inside(path, 'name'), DOCUMENT_NAME);
  if (documents.has(name)) refuse(`Documents must have unique names: ${name} is used twice.`);
  documents.add(name);
  wordAt(fields['format'] ?? 'txt', inside(path, 'format'), FORMATS['document']!.split(' '));
  const at = inside(path, 'source');
  const [by, data] = unionAt(fields['source'], at, ['bytes', 's3Location', 'text', 'content']);
  if (by === 'bytes') checkBytes(data, inside(at, by));
  else if (by === 'text' && textAt(data, inside(at, by)) === '') constraint(inside(at, by), 'not be empty');
}

function checkUse(value: unknown, path: string): void {
  const fields = fieldsAt(value, path, ['toolUseId', 'name', 'input', 'type'], ['toolUseId', 'name', 'input']);
  patternAt(fields['toolUseId'], inside(path, 'toolUseId'), NAME);
  patternAt(fields['name'], inside(path, 'name'), NAME);
  if (!isFields(fields['input'])) {
    refuse(`The format of the value at ${path}.input is invalid. Provide a json object for the field and try again.`);
  }
}

function checkResult(value: unknown, path: string, rules: BlockRules): void {
  const fields = fieldsAt(value, path, ['toolUseId', 'content', 'status', 'type'], ['toolUseId', 'content']);
  patternAt(fields['toolUseId'], inside(path, 'toolUseId'), NAME);
  readBlocks(fields['content'], inside(path, 'content'), { ...rules, role: 'result' });
  if (fields['status'] !== undefined) wordAt(fields['status'], inside(path, 'status'), ['success', 'error']);
}

/** What was changed on its way, or made by others, is refused. */
function checkThought(value: unknown, path: string): void {
  const [kind, data] = unionAt(value, path, ['reasoningText', 'redactedContent']);
  if (kind === 'redactedContent') {
    if (!isSealed(textAt(data, inside(path, kind)))) refuse(`${path}: Invalid \`data\` in \`redacted_thinking\` block`);
    return;
  }
  const at = inside(path, kind);
  const { text, signature } = fieldsAt(data, at, ['text', 'signature'], ['text']);
  if (!isSignatureOf(textAt(signature, inside(at, 'signature')), textAt(text, inside(at, 'text')))) {
    refuse(`${path}: Invalid \`signature\` in \`thinking\` block`);
  }
}
