using Faster.Conformance.Engines.Latched;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>Bytes by bytes: values of any length, also none.</summary>
[Store(Engine = typeof(LatchedEngine), Also = [typeof(TransactionalEngine)], Key = typeof(byte[]))]
public static partial class Notes
{
    [Transaction]
    private static bool Copy(in ReadOnlySpan<byte> from, ref byte[] to, [KeyOf(nameof(to))] ReadOnlySpan<byte> key)
    {
        to = [.. to, .. key, .. from];
        return from.Length > 0;
    }

    [Transaction]
    private static void Swap(ref byte[]? first, ref byte[]? second) => (first, second) = (second, first);

    [Transaction]
    private static void Fill(Records<byte[]?> notes, byte[]? value)
    {
        for (int i = 0; i < notes.Count; i++) notes[i] = value;
    }

    [Transaction]
    private static void Double(Transaction<byte[], byte[]> all, byte[] key)
    {
        byte[] old = all.ReadForWrite(key).GetValueOrDefault([]);
        all.Write(key, [.. old, .. old]);
    }
}
