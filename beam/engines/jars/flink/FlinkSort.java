import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.flink.api.common.io.FileInputFormat;
import org.apache.flink.api.common.io.FileOutputFormat;
import org.apache.flink.api.common.operators.Order;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.ExecutionEnvironment;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.core.fs.FileInputSplit;
import org.apache.flink.core.fs.Path;

/** Sorts by Flink's own partitionByRange and sortPartition: records of 24 bytes, or lines. */
public final class FlinkSort {
  private static final int SIZE = 24;

  public static void main(String[] args) throws Exception {
    String what = args[0], in = args[1], out = args[2];
    int parts = Integer.parseInt(args[3]);
    ExecutionEnvironment env = ExecutionEnvironment.createRemoteEnvironment(args[4], Integer.parseInt(args[5]), parts, args[6]);
    long began = System.nanoTime();
    if (what.equals("lines")) {
      env.readTextFile(in).partitionByRange("*").sortPartition("*", Order.ASCENDING).writeAsText(out);
    } else {
      env.createInput(new Records(in), TypeInformation.of(new TypeHint<Tuple3<Double, Long, Long>>() {}))
          .partitionByRange(0, 1).sortPartition(0, Order.ASCENDING).sortPartition(1, Order.ASCENDING)
          .output(new RecordsOut(out));
    }
    env.execute("sort by Flink");
    System.out.printf("seconds %.3f%n", (System.nanoTime() - began) / 1e9);
  }

  /** Reads records. Splits begin at a multiple of their size, as those that begin inside one are moved. */
  public static final class Records extends FileInputFormat<Tuple3<Double, Long, Long>> {
    private long left;
    private byte[] buffer;
    private ByteBuffer read;

    public Records(String path) { super(new Path(path)); }

    @Override public void open(FileInputSplit split) throws IOException {
      long from = (split.getStart() + SIZE - 1) / SIZE * SIZE;
      long end = (split.getStart() + split.getLength() + SIZE - 1) / SIZE * SIZE;
      long length = split.getPath().getFileSystem().getFileStatus(split.getPath()).getLen();
      super.open(new FileInputSplit(split.getSplitNumber(), split.getPath(), from, split.getLength(), split.getHostnames()));
      left = Math.max(0, Math.min(end, length) - from);
      buffer = new byte[SIZE << 12];
      read = ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN);
      read.limit(0);
    }

    @Override public boolean reachedEnd() { return left == 0 && !read.hasRemaining(); }

    @Override public Tuple3<Double, Long, Long> nextRecord(Tuple3<Double, Long, Long> reuse) throws IOException {
      if (!read.hasRemaining()) {
        int want = (int) Math.min(left, buffer.length);
        for (int at = 0; at < want; ) {
          int n = stream.read(buffer, at, want - at);
          if (n < 0) throw new IOException("the file is shorter than it was");
          at += n;
        }
        left -= want;
        read.position(0).limit(want);
      }
      reuse.setFields(read.getDouble(), read.getLong(), read.getLong());
      return reuse;
    }
  }

  /** Writes records. */
  public static final class RecordsOut extends FileOutputFormat<Tuple3<Double, Long, Long>> {
    private byte[] buffer;
    private ByteBuffer to;

    public RecordsOut(String path) { super(new Path(path)); }

    @Override public void open(InitializationContext context) throws IOException {
      super.open(context);
      buffer = new byte[SIZE << 12];
      to = ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override public void writeRecord(Tuple3<Double, Long, Long> r) throws IOException {
      to.putDouble(r.f0).putLong(r.f1).putLong(r.f2);
      if (!to.hasRemaining()) flush();
    }

    private void flush() throws IOException {
      stream.write(buffer, 0, to.position());
      to.position(0);
    }

    @Override public void close() throws IOException {
      if (to != null && stream != null) flush();
      super.close();
    }
  }
}
