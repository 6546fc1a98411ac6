/** The one place where answers and errors become results of a tool call. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { asStetError } from '../engine';
import { logTrouble } from './log';
import type { Answer } from './tool';

export const answered = ({ data, text }: Answer): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: { ...data },
});

/** A failure as the agent sees it: what happened and what to do. Its cause may hold paths or SQL and only goes to the log. */
export function failed(thrown: unknown): CallToolResult {
  const error = asStetError(thrown);
  const { code, message, hint } = error;
  if (error.cause !== undefined) logTrouble(`${code}: ${message}`, error.cause);
  return {
    isError: true,
    content: [{ type: 'text', text: `${message} ${hint} (${code})` }],
    structuredContent: { error: { code, message, hint } },
  };
}
