/** Rules for single parts of what was said. */
import { fieldsOf } from '../../answer/fields.ts';
import type { Message } from './check-message.ts';
import { ONE_OF } from './message-types.ts';
import { signatureProblem } from './signature.ts';

const MEDIA =
  /^(image\/(png|jpeg|webp|heic|heif)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/[\w.+-]+|application\/(pdf|x-javascript|x-python|rtf))$/;
/** Stored files, buckets and videos of the vendor's own site are reached by address, nothing else is. */
const STORED = /^https:\/\/[\w.-]+\/v1(beta)?\/files\/|^files\//;
const REACHED = /^gs:\/\/|^https:\/\/(www\.)?(youtube\.com|youtu\.be)\//;

/** Who is asked, and who said the part. */
export interface Speech {
  readonly model: string;
  readonly strict: boolean;
  readonly spokenByModel: boolean;
}

/** What is wrong with one part; null = nothing. `path` is its place in the request. */
export function partProblem(part: Message, path: string, speech: Speech): string | null {
  const signature = part['thoughtSignature'];
  const signed = typeof signature === 'string' && signature !== '';
  const data = ONE_OF['Part']?.fields.find((field) => part[field] !== undefined);
  if (data === undefined && !signed) return missing(path);
  // Models open and close their streams with empty texts; nobody else may say nothing.
  if (data === 'text' && part['text'] === '' && !signed && !speech.spokenByModel) return missing(path);
  if (signed) {
    const problem = signatureProblem(signature, speech.model, speech.strict);
    if (problem !== null) return problem;
  }
  const call = fieldsOf(part['functionCall']);
  if (data === 'functionCall' && !isText(call['name'])) return `* ${path}.function_call.name: Name cannot be empty.\n`;
  if (data === 'functionResponse') return responseProblem(fieldsOf(part['functionResponse']), path);
  if (data === 'inlineData') return blobProblem(fieldsOf(part['inlineData']), `${path}.inline_data`);
  return data === 'fileData' ? fileProblem(fieldsOf(part['fileData']), path) : null;
}

function missing(path: string): string {
  return `* ${path}.data: required oneof field 'data' must have one initialized field\n`;
}

function responseProblem(response: Message, path: string): string | null {
  if (!isText(response['name'])) return `* ${path}.function_response.name: Name cannot be empty.\n`;
  if (response['response'] === undefined) return `* ${path}.function_response.response: field must be set\n`;
  const parts = Array.isArray(response['parts']) ? response['parts'] : [];
  for (const [i, one] of parts.entries()) {
    const place = `${path}.function_response.parts[${i}].inline_data`;
    const problem = blobProblem(fieldsOf(fieldsOf(one)['inlineData']), place);
    if (problem !== null) return problem;
  }
  return null;
}

function blobProblem(blob: Message, path: string): string | null {
  const { mimeType, data } = blob;
  if (!isText(mimeType)) return `* ${path}.mime_type: must be set\n`;
  if (!isText(data)) return `* ${path}.data: must not be empty\n`;
  return MEDIA.test(mimeType) ? null : `Unsupported MIME type: ${mimeType}`;
}

function fileProblem(file: Message, path: string): string | null {
  const { fileUri } = file;
  if (!isText(fileUri)) return `* ${path}.file_data.file_uri: must be set\n`;
  if (STORED.test(fileUri)) return `You do not have permission to access the File ${fileUri} or it may not exist.`;
  return REACHED.test(fileUri) ? null : 'Cannot fetch content from the provided URL.';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
