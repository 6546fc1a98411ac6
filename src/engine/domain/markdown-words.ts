/** What Markdown says, without its marks: for comparing values, never for showing them. */
import { fromMarkdown } from 'mdast-util-from-markdown';

/**
 * The words of a Markdown text on one line. Marks of emphasis, headings, quotes and bullets go; what may carry meaning stays: numbers
 * of lists, code as it is written, HTML, a link's target where its text is another, and any mark beside a digit or a sign (`2*3*4`,
 * `> 5`, `- 1`). Code whose words would read as marks keeps its backticks.
 */
export function markdownWords(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const blocks: string[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) blocks.push(inlineWords(paragraph.join('\n')));
    paragraph = [];
  };
  let codeEnd = -1;
  for (const [at, line] of lines.entries()) {
    if (at <= codeEnd) continue;
    const fence = fenceAt(line);
    if (fence !== undefined) {
      const end = lines.findIndex((later, index) => index > at && isFenceEnd(later, fence));
      codeEnd = end === -1 ? lines.length : end;
      const code = lines.slice(at + 1, codeEnd).join('\n');
      endParagraph();
      blocks.push(code.trim() === '' ? lines.slice(at, codeEnd + 1).join(' ') : codeWords(code));
    } else if (line === '' || isRule(line)) {
      endParagraph();
    } else {
      const words = withoutBlockMarks(line);
      if (words !== line) endParagraph();
      paragraph.push(words);
      if (isHeading(line)) endParagraph();
    }
  }
  endParagraph();
  return oneLine(blocks.join('\n'));
}

const oneLine = (text: string) => text.replace(/\s+/gu, ' ').trim();

const fenceAt = (line: string): string | undefined => /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[0];
const isFenceEnd = (line: string, fence: string) => line.length >= fence.length && line === fence.charAt(0).repeat(line.length);

/** A line that only draws: below a heading or between parts. */
const isRule = (line: string) => /^={3,}$/.test(line) || /^(?:-{3,}|\*{3,}|_{3,})$/.test(line.replace(/\s+/g, ''));
const isHeading = (line: string) => /^#{1,6}\s/.test(line);

/** Bullets, quotes and headings, only before words: before a digit or a sign they may be a sign themselves. */
const blockMarks = /^(?:(?:>|(?:[-*+•‣◦]|#{1,6})(?=\s))\s*)+(?=[*_`"'<@#~\\\p{Ps}\p{Pi}]*[\p{L}\p{Extended_Pictographic}])/u;

function withoutBlockMarks(line: string): string {
  const words = line.replace(blockMarks, '');
  return words === line || !/#\s/.test(line.slice(0, line.length - words.length)) ? words : words.replace(/\s#+$/, '');
}

/** More marks than this in one paragraph are not prose: the parser's time grows with their square, so they stay as they are. */
const mostMarks = 400;
const marks = /[*_`[\]<&\\]/g;
/** What makes parsing worth it: an underscore within a word is none. */
const inlineMark = /[*`[<&\\]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u;

function inlineWords(paragraph: string): string {
  if (!inlineMark.test(paragraph) || (paragraph.match(marks)?.length ?? 0) > mostMarks) return paragraph;
  return fromMarkdown(paragraph, { extensions: [{ disable: { null: blockConstructs } }] })
    .children.map((node) => wordsOf(node, paragraph))
    .join('\n');
}

/** Lines are read above and paragraphs parsed one by one: the parser's time grows with the square of what it is given at once. */
const blockConstructs = [
  'blockQuote',
  'codeFenced',
  'codeIndented',
  'definition',
  'headingAtx',
  'htmlFlow',
  'list',
  'setextUnderline',
  'thematicBreak',
];

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root | Root['children'][number];

function wordsOf(node: Node, source: string): string {
  switch (node.type) {
    case 'text':
    case 'html':
      return node.value;
    case 'inlineCode':
      return codeWords(node.value);
    case 'break':
      return '\n';
    case 'link':
      return withTarget(wordsWithin(node.children, source), node);
    case 'image':
      return withTarget(node.alt ?? '', node);
    case 'emphasis':
      return emphasized(wordsWithin(node.children, source), node, 1, source);
    case 'strong':
      return emphasized(wordsWithin(node.children, source), node, 2, source);
    default:
      return 'children' in node ? wordsWithin(node.children, source) : '';
  }
}

const wordsWithin = (nodes: readonly Node[], source: string): string => nodes.map((node) => wordsOf(node, source)).join('');

function withTarget(words: string, { url, title }: { readonly url: string; readonly title?: string | null | undefined }): string {
  const target = [...(url === words || url === `mailto:${words}` || url === '' ? [] : [url]), ...(title ? [`"${title}"`] : [])];
  return target.length === 0 ? words : `${words} (${target.join(' ')})`;
}

/** Within a word or formula the marks are dropped only between letters: `pn**pm**` is a word, `2*3*4` is not. */
function emphasized(words: string, { position }: Node, width: number, source: string): string {
  const from = position?.start.offset ?? 0;
  const to = position?.end.offset ?? source.length;
  const before = source.slice(0, from);
  const after = source.slice(to);
  const within = /[\p{L}\p{N})\]/\\.]$/u.test(before) || /^[\p{L}\p{N}([/\\]/u.test(after);
  const lettersOnly = /(?:^|[\s\p{L}])$/u.test(before) && /^(?:$|[^\p{N}([/\\])/u.test(after) && /^[\p{L}\s]+$/u.test(words);
  const mark = source.slice(from, from + width);
  return within && !lettersOnly ? `${mark}${words}${mark}` : words;
}

/** Code as it is written; in backticks where its words alone would be read as marks. */
function codeWords(code: string): string {
  const words = oneLine(code);
  return markdownWords(words) === words ? words : codeSpan(words);
}

/** A line of text as inline code, which reads back as that text. */
export function codeSpan(line: string): string {
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}
