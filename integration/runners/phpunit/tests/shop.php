<?php

// Answers every request: 201 to what is posted, else 200 and "12". Says where, and ends with its input.

$server = stream_socket_server('tcp://127.0.0.1:0');
echo 'http://', stream_socket_get_name($server, false), "\n";
while (true) {
    $ready = [STDIN, $server];
    $none = null;
    stream_select($ready, $none, $none, null);
    if (in_array(STDIN, $ready, true)) {
        exit(0);
    }
    $client = stream_socket_accept($server);
    $head = '';
    while (($line = fgets($client)) !== false && rtrim($line) !== '') {
        $head .= $line;
    }
    if (preg_match('/^Content-Length: ([1-9]\d*)/mi', $head, $length)) {
        fread($client, (int) $length[1]);
    }
    $status = strpos($head, 'POST') === 0 ? '201 Created' : '200 OK';
    @fwrite($client, "HTTP/1.1 {$status}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n12");
    fclose($client);
}
