// http2.mjs LEAF: a service that speaks HTTP/2 alone over TLS; prints its port, then the tag of each request.
import {readFileSync} from 'node:fs';
import {createSecureServer} from 'node:http2';

const leaf = process.argv[2];
const server = createSecureServer({cert: readFileSync(`${leaf}.pem`), key: readFileSync(`${leaf}.key`)}, (request, response) => {
  request.resume();
  request.on('end', () => {
    const tag = Object.entries(request.headers).filter(([name]) => name.startsWith('x-retrial-'));
    console.log(JSON.stringify({version: request.httpVersion, ...Object.fromEntries(tag.map(([name, value]) => [name.slice(10), value]))}));
    response.end('ok');
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
