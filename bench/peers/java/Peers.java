import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Scanner;

/**
 * Arrays.sort and Arrays.parallelSort, on the processors that -XX:ActiveProcessorCount gives.
 * README.md has the protocol. Java has no unsigned integers: their first bit is flipped before and after.
 */
public final class Peers {
    private static final OperatingSystemMXBean os =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private interface Sort {
        void sort(int from, int to);
    }

    public static void main(String[] args) throws IOException {
        System.out.println("version OpenJDK " + System.getProperty("java.runtime.version"));
        for (String type : new String[] {"u32", "u64", "f32", "f64"}) {
            System.out.println("offer Arrays.sort sort " + type);
            System.out.println("offer Arrays.parallelSort sort " + type);
        }
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        while (in.hasNext()) {
            boolean parallel = in.next().equals("Arrays.parallelSort");
            in.next();
            String type = in.next();
            int n = in.nextInt();
            ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(Path.of(in.next()))).order(ByteOrder.LITTLE_ENDIAN);
            System.out.println(type.endsWith("32") ? narrow(file, n, type, parallel) : wide(file, n, type, parallel));
        }
    }

    private static String narrow(ByteBuffer file, int n, String type, boolean parallel) {
        int[] bits = new int[file.remaining() / 4];
        file.asIntBuffer().get(bits);
        if (type.equals("f32")) {
            float[] s = new float[bits.length];
            for (int i = 0; i < s.length; i++) s[i] = Float.intBitsToFloat(bits[i]);
            String times = timed(s.length, n, parallel ? (a, b) -> Arrays.parallelSort(s, a, b) : (a, b) -> Arrays.sort(s, a, b));
            for (int i = 0; i < s.length; i++) bits[i] = Float.floatToRawIntBits(s[i]);
            return times + sum(bits, 0);
        }
        for (int i = 0; i < bits.length; i++) bits[i] ^= Integer.MIN_VALUE;
        return timed(bits.length, n, parallel ? (a, b) -> Arrays.parallelSort(bits, a, b) : (a, b) -> Arrays.sort(bits, a, b))
                + sum(bits, Integer.MIN_VALUE);
    }

    private static String wide(ByteBuffer file, int n, String type, boolean parallel) {
        long[] bits = new long[file.remaining() / 8];
        file.asLongBuffer().get(bits);
        if (type.equals("f64")) {
            double[] s = new double[bits.length];
            for (int i = 0; i < s.length; i++) s[i] = Double.longBitsToDouble(bits[i]);
            String times = timed(s.length, n, parallel ? (a, b) -> Arrays.parallelSort(s, a, b) : (a, b) -> Arrays.sort(s, a, b));
            for (int i = 0; i < s.length; i++) bits[i] = Double.doubleToRawLongBits(s[i]);
            return times + sum(bits, 0);
        }
        for (int i = 0; i < bits.length; i++) bits[i] ^= Long.MIN_VALUE;
        return timed(bits.length, n, parallel ? (a, b) -> Arrays.parallelSort(bits, a, b) : (a, b) -> Arrays.sort(bits, a, b))
                + sum(bits, Long.MIN_VALUE);
    }

    private static String timed(int all, int n, Sort sort) {
        System.gc();
        long cpu = os.getProcessCpuTime(), start = System.nanoTime();
        for (int at = 0; at < all; at += n) sort.sort(at, at + n);
        long wall = System.nanoTime() - start;
        return wall + " " + (os.getProcessCpuTime() - cpu) + " ";
    }

    private static String sum(int[] s, int flip) {
        long sum = 0;
        for (int i = 0; i < s.length; i++) sum += Integer.toUnsignedLong(s[i] ^ flip) * (2L * i + 1);
        return Long.toUnsignedString(sum);
    }

    private static String sum(long[] s, long flip) {
        long sum = 0;
        for (int i = 0; i < s.length; i++) sum += (s[i] ^ flip) * (2L * i + 1);
        return Long.toUnsignedString(sum);
    }
}
