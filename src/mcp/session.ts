/** Who is connected, as the client says in its handshake. Nothing in a tool's arguments can say otherwise. */
import { randomUUID } from 'node:crypto';
import type { Implementation } from '@modelcontextprotocol/sdk/types.js';
import type { AgentSession } from '../engine';

/** Longest name or version that is kept, in characters. */
const longestName = 80;

/**
 * The session of this connection. It stays the same as long as the handshake does, since what was proposed in it names it.
 * @param handshake what the client last said about itself.
 */
export function agentSession(handshake: () => Implementation | undefined): () => AgentSession {
  const startedAt = new Date().toISOString();
  let named: Implementation | undefined;
  let session: AgentSession | undefined;
  return () => {
    const client = handshake();
    if (session === undefined || client !== named) {
      named = client;
      session = {
        id: randomUUID(),
        client: plainName(client?.name) || 'unnamed client',
        clientVersion: plainName(client?.version) || 'unknown',
        startedAt,
      };
    }
    return session;
  };
}

/** A name as a person can read it: no control, invisible or direction-changing characters, one line, bounded. */
export function plainName(text: string | undefined): string {
  const seen = (text ?? '')
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(
      /[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2800\u3164\uFE00-\uFE0F\uFFA0\uFFFD\u{E0100}-\u{E01EF}]/gu,
      '',
    )
    .replace(/ +/g, ' ')
    .trim();
  return seen
    .slice(0, longestName)
    .replace(/\p{Cs}$/u, '')
    .trim();
}
