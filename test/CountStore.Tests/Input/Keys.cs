using System.Text;
using CountStore.Input;

namespace CountStore.Tests.Input;

/// <summary>Runs parsers over small texts, cut into blocks of every size up to eight bytes and as a whole.</summary>
internal static class Keys
{
    public static List<string> Parse(InputFormat format, string text) => Parse(format, Encoding.UTF8.GetBytes(text));

    public static List<string> Parse(InputFormat format, byte[] bytes)
    {
        List<string> whole = Parse(format, bytes, Math.Max(1, bytes.Length));
        for (int size = 1; size <= 8; size++) Assert.Equal(whole, Parse(format, bytes, size));
        return whole;
    }

    public static List<string> Parse(InputFormat format, byte[] bytes, int blockSize)
    {
        KeyParser parser = format.StartParser();
        KeyBatch batch = new();
        List<string> keys = [];
        for (int at = 0; at < bytes.Length;)
        {
            ReadOnlySpan<byte> block = bytes.AsSpan(at, Math.Min(blockSize, bytes.Length - at));
            int taken = parser.Parse(block, batch);
            at += taken;
            if (taken < block.Length) TakeOut(batch, format, keys);
        }

        parser.End(batch);
        TakeOut(batch, format, keys);
        return keys;
    }

    private static void TakeOut(KeyBatch batch, InputFormat format, List<string> keys)
    {
        for (int key = 0; key < batch.Count; key++)
        {
            keys.Add(format.IsNumber
                ? BitConverter.ToUInt64(batch[key]).ToString(System.Globalization.CultureInfo.InvariantCulture)
                : Encoding.UTF8.GetString(batch[key]));
        }

        batch.Clear();
    }
}
