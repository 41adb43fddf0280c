/** Media by the dialect's own format words, and the types they stand for elsewhere. */
import type { Media } from '../canonical.ts';

type Formats = ReadonlyMap<string, string>;

const pairs = (text: string): Formats => new Map(text.split(' ').map((pair) => pair.split('=') as [string, string]));

/** Type → format. The first type of a format is what it is called on the way back. */
const FORMATS: Readonly<Record<Media, Formats>> = {
  image: pairs('image/png=png image/jpeg=jpeg image/jpg=jpeg image/gif=gif image/webp=webp'),
  audio: pairs(
    [
      'audio/mpeg=mp3 audio/mp3=mp3 audio/wav=wav audio/x-wav=wav audio/wave=wav audio/ogg=ogg audio/opus=opus',
      'audio/flac=flac audio/x-flac=flac audio/aac=aac audio/mp4=m4a audio/x-m4a=m4a audio/webm=webm audio/pcm=pcm',
      'audio/l16=pcm',
    ].join(' '),
  ),
  video: pairs(
    [
      'video/mp4=mp4 video/webm=webm video/quicktime=mov video/x-matroska=mkv video/mpeg=mpeg video/mpg=mpg',
      'video/x-flv=flv video/3gpp=three_gp video/x-ms-wmv=wmv video/wmv=wmv',
    ].join(' '),
  ),
  document: pairs(
    [
      'application/pdf=pdf text/plain=txt text/markdown=md text/html=html text/csv=csv application/msword=doc',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document=docx application/vnd.ms-excel=xls',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet=xlsx',
    ].join(' '),
  ),
};

/** The format of a type, parameters aside; null = the dialect has none for it. */
export function formatOf(media: Media, mime: string): string | null {
  return FORMATS[media].get(mime.split(';')[0]!.trim().toLowerCase()) ?? null;
}

/** The format that a file's name ends with; null = none of the dialect's. */
export function formatOfName(media: Media, name: string): string | null {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  for (const format of FORMATS[media].values()) if (format === ending) return format;
  return ending === 'jpg' && media === 'image' ? 'jpeg' : null;
}

/** The type a format stands for; an unknown one keeps its word. */
export function mimeOf(media: Media, format: string): string {
  for (const [mime, known] of FORMATS[media]) if (known === format) return mime;
  return `${media === 'document' ? 'application' : media}/${format}`;
}
