package com.library;

import java.net.HttpURLConnection;
import java.net.URL;
import java.util.concurrent.Callable;

/** A library's task that asks by itself: no frame of the application stands below it. */
public final class Asking implements Callable<Integer>, Runnable {
  private final String url;

  public Asking(String url) { this.url = url; }

  @Override
  public Integer call() throws Exception {
    return ((HttpURLConnection) new URL(url).openConnection()).getResponseCode();
  }

  @Override
  public void run() {
    try {
      call();
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }
}
