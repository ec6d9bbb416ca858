using System.Buffers.Binary;
using System.Text;

namespace CountStore.Tests.Commands;

/// <summary>Inputs with more keys than a megabyte holds, the same for the same seed.</summary>
internal static class Inputs
{
    public static byte[] Numbers(int count, int seed)
    {
        Random random = new(seed);
        byte[] bytes = new byte[count * sizeof(uint)];
        for (int at = 0; at < count; at++)
            BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(at * sizeof(uint)), Skewed(random));
        return bytes;
    }

    public static byte[] Lines(int count, int seed)
    {
        Random random = new(seed);
        StringBuilder text = new();
        for (int line = 0; line < count; line++) text.Append("key number ").Append(Skewed(random)).Append('\n');
        return Encoding.ASCII.GetBytes(text.ToString());
    }

    // Some keys come often, most seldom.
    private static uint Skewed(Random random) => (uint)(Math.Pow(random.NextDouble(), 3) * 100_000);
}
