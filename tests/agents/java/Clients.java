package demo;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

/**
 * Clients CLIENT,... URL: asks as applications do, below a path of the client's name. Where the tests look for a
 * request's call site, the line ends in a comment with that name.
 */
public final class Clients {
  interface Client {
    void ask(String url) throws Exception;
  }

  // --- java.net.http

  static final HttpClient jdk = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(),
                          jdk2 = HttpClient.newHttpClient();

  static HttpRequest request(String url) {
    return HttpRequest.newBuilder(URI.create(url)).POST(HttpRequest.BodyPublishers.ofString("x")).build();
  }

  static void jdk(String url) throws Exception {
    jdk.send(request(url), BodyHandlers.ofString()); // jdk
  }

  static void jdkAsync(String url) throws Exception {
    jdk.sendAsync(request(url), BodyHandlers.ofString()).thenApply(r -> r.body()).get(); // jdk-async
  }

  static void jdkHttp2(String url) throws Exception {
    var answer = jdk2.send(request(url), BodyHandlers.ofString());  // jdk-http2
    if (answer.version() != HttpClient.Version.HTTP_2) throw new IOException("not HTTP/2");
  }

  // --- HttpURLConnection

  static void urlConnection(String url) throws IOException {
    var connection = (HttpURLConnection) new URL(url).openConnection();
    connection.setDoOutput(true);
    connection.getOutputStream().write("POST / HTTP/1.1\r\n\r\n".getBytes());
    connection.getResponseCode(); // url-connection
  }

  // --- Apache

  static void apache4(String url) throws IOException {
    try (var client = org.apache.http.impl.client.HttpClients.createDefault();
        var answer = client.execute(new org.apache.http.client.methods.HttpGet(url))) { // apache4
      org.apache.http.util.EntityUtils.consume(answer.getEntity());
    }
  }

  static void apache5(String url) throws IOException {
    var retries = new org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy(
        2, org.apache.hc.core5.util.TimeValue.ofMilliseconds(1));
    try (var client = org.apache.hc.client5.http.impl.classic.HttpClients.custom().setRetryStrategy(retries).build()) {
      client.execute(new org.apache.hc.client5.http.classic.methods.HttpGet(url), answer -> 0); // apache5
    }
  }

  // --- OkHttp

  static final okhttp3.OkHttpClient ok =
      new okhttp3.OkHttpClient.Builder().addInterceptor(chain -> chain.proceed(chain.request())).build();

  static void okhttp(String url) throws IOException {
    ok.newCall(new okhttp3.Request.Builder().url(url).build()).execute().close(); // okhttp
  }

  static void okhttpAsync(String url) throws Exception {
    var done = new CompletableFuture<Integer>();
    ok.newCall(new okhttp3.Request.Builder().url(url).build()).enqueue(new okhttp3.Callback() { // okhttp-async
      @Override
      public void onFailure(okhttp3.Call call, IOException error) {
        done.completeExceptionally(error);
      }

      @Override
      public void onResponse(okhttp3.Call call, okhttp3.Response response) {
        response.close();
        done.complete(response.code());
      }
    });
    done.get();
  }

  // --- threads that the application does not stand in

  static void thread(String url) throws Exception {
    var thread = new Thread(new com.library.Asking(url));
    thread.start(); // thread
    thread.join();
  }

  static void pool(String url) throws Exception {
    var pool = Executors.newFixedThreadPool(1);
    pool.submit(() -> 0).get();
    pool.submit((java.util.concurrent.Callable<Integer>) new com.library.Asking(url)).get(); // pool
    pool.shutdown();
  }

  static void scheduled(String url) throws Exception {
    var pool = Executors.newScheduledThreadPool(1);
    java.util.concurrent.Callable<Integer> task = new com.library.Asking(url);
    pool.schedule(task, 1, TimeUnit.MILLISECONDS).get();  // scheduled
    pool.shutdown();
  }

  static void forkJoin(String url) throws Exception {
    var pool = new ForkJoinPool(1);
    pool.submit((Runnable) new com.library.Asking(url)).get(); // fork-join
    pool.shutdown();
  }

  static void future(String url) throws Exception {
    CompletableFuture.runAsync(new com.library.Asking(url)).get(); // future
  }

  // --- Netty

  static void netty(String url) throws Exception {
    var uri = URI.create(url);
    var group = new io.netty.channel.nio.NioEventLoopGroup(1);
    var done = new CountDownLatch(1);
    var channel =
        new io.netty.bootstrap.Bootstrap()
            .group(group)
            .channel(io.netty.channel.socket.nio.NioSocketChannel.class)
            .handler(new io.netty.channel.ChannelInitializer<io.netty.channel.Channel>() {
              @Override
              protected void initChannel(io.netty.channel.Channel c) {
                c.pipeline().addLast(new io.netty.handler.codec.http.HttpClientCodec(),
                    new io.netty.channel.ChannelInboundHandlerAdapter() {
                      @Override
                      public void channelRead(io.netty.channel.ChannelHandlerContext context, Object message) {
                        done.countDown();
                      }
                    });
              }
            })
            .connect(uri.getHost(), uri.getPort())
            .sync()
            .channel();
    var request = new io.netty.handler.codec.http.DefaultFullHttpRequest(
        io.netty.handler.codec.http.HttpVersion.HTTP_1_1, io.netty.handler.codec.http.HttpMethod.GET, uri.getPath());
    request.headers().set("host", "localhost");
    channel.writeAndFlush(request); // netty
    done.await();
    group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  // --- gRPC: its service prints what it is asked with

  static final class Text implements io.grpc.MethodDescriptor.Marshaller<String> {
    @Override
    public java.io.InputStream stream(String value) {
      return new java.io.ByteArrayInputStream(value.getBytes());
    }

    @Override
    public String parse(java.io.InputStream in) {
      try {
        return new String(in.readAllBytes());
      } catch (IOException error) {
        throw new IllegalStateException(error);
      }
    }
  }

  static void grpc(String url) throws Exception {
    var method = io.grpc.MethodDescriptor.<String, String>newBuilder()
                     .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
                     .setFullMethodName("demo.Echo/Say")
                     .setRequestMarshaller(new Text())
                     .setResponseMarshaller(new Text())
                     .build();
    var service =
        io.grpc.ServerServiceDefinition.builder("demo.Echo")
            .addMethod(method,
                io.grpc.stub.ServerCalls.asyncUnaryCall((String text, io.grpc.stub.StreamObserver<String> out) -> {
                  out.onNext(text);
                  out.onCompleted();
                }))
            .build();
    var server =
        io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder.forAddress(new java.net.InetSocketAddress("127.0.0.1", 0))
            .addService(service)
            .intercept(new io.grpc.ServerInterceptor() {
              @Override
              public <A, B> io.grpc.ServerCall.Listener<A> interceptCall(
                  io.grpc.ServerCall<A, B> call, io.grpc.Metadata headers, io.grpc.ServerCallHandler<A, B> next) {
                for (var name : headers.keys())
                  if (name.startsWith("x-retrial-"))
                    System.out.println(name.substring(10) + " "
                        + headers.get(io.grpc.Metadata.Key.of(name, io.grpc.Metadata.ASCII_STRING_MARSHALLER)));
                return next.startCall(call, headers);
              }
            })
            .build()
            .start();
    var channel = io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                      .usePlaintext()
                      .build();
    io.grpc.stub.ClientCalls.blockingUnaryCall(channel, method, io.grpc.CallOptions.DEFAULT, "hello"); // grpc
    channel.shutdownNow();
    server.shutdownNow();
  }

  static final java.util.Map<String, Client> clients = java.util.Map.ofEntries(java.util.Map.entry("jdk", Clients::jdk),
      java.util.Map.entry("jdk-async", Clients::jdkAsync), java.util.Map.entry("jdk-http2", Clients::jdkHttp2),
      java.util.Map.entry("url-connection", Clients::urlConnection), java.util.Map.entry("apache4", Clients::apache4),
      java.util.Map.entry("apache5", Clients::apache5), java.util.Map.entry("okhttp", Clients::okhttp),
      java.util.Map.entry("okhttp-async", Clients::okhttpAsync), java.util.Map.entry("thread", Clients::thread),
      java.util.Map.entry("pool", Clients::pool), java.util.Map.entry("scheduled", Clients::scheduled),
      java.util.Map.entry("fork-join", Clients::forkJoin), java.util.Map.entry("future", Clients::future),
      java.util.Map.entry("netty", Clients::netty), java.util.Map.entry("grpc", Clients::grpc));

  public static void main(String[] arguments) throws Exception {
    for (String name : arguments[0].split(",")) clients.get(name).ask(arguments[1] + "/" + name);
    if (arguments.length > 2) throw new IllegalStateException("the end", new IOException("of it"));
    System.exit(0);
  }
}
