import { createServer } from 'node:http';
import { DayCache } from './cache';

const cache = new DayCache<string>();

/** GET /v1/stations/:id/tides?day=YYYY-MM-DD */
export const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const match = /^\/v1\/stations\/([a-z0-9-]+)\/tides$/.exec(url.pathname);
  if (match === null) {
    response.writeHead(404, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ title: 'No such page', status: 404 }));
    return;
  }
  const day = url.searchParams.get('day') ?? new Date().toISOString().slice(0, 10);
  response.setHeader('content-type', 'application/json');
  response.end(cache.get(`${match[1]} ${day}`, day, () => JSON.stringify({ station: match[1], day, tides: [] })));
});
