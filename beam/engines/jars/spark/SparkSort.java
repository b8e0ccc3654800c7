import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Sorts by Spark's own orderBy: records of 24 bytes to Parquet, or lines to text. */
public final class SparkSort {
  public static void main(String[] args) {
    String what = args[0], in = args[1], out = args[2];
    int parts = Integer.parseInt(args[3]);
    SparkSession spark = SparkSession.builder().config("spark.sql.shuffle.partitions", parts)
        .config("spark.sql.adaptive.enabled", false).config("spark.sql.parquet.compression.codec", "none").getOrCreate();
    long began = System.nanoTime();
    if (what.equals("lines")) {
      spark.read().text(in).orderBy("value").write().text(out);
    } else {
      StructType type = new StructType().add("key", DataTypes.DoubleType).add("id", DataTypes.LongType).add("sum", DataTypes.LongType);
      Dataset<Row> rows = spark.createDataFrame(new org.apache.spark.api.java.JavaSparkContext(spark.sparkContext()).binaryRecords(in, 24).map(SparkSort::row), type);
      rows.orderBy("key", "id").write().parquet(out);
    }
    System.out.printf("seconds %.3f%n", (System.nanoTime() - began) / 1e9);
    spark.stop();
  }

  private static Row row(byte[] b) {
    ByteBuffer r = ByteBuffer.wrap(b).order(ByteOrder.LITTLE_ENDIAN);
    return RowFactory.create(r.getDouble(), r.getLong(), r.getLong());
  }
}
