using System.Buffers;
using System.Runtime.InteropServices;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>A store of values of any length whose first eight bytes are a sum.</summary>
[Store(Key = typeof(long), Value = typeof(byte[]))]
internal static partial class Blobs
{
    /// <summary>Opens it as an engine.</summary>
    public static async Task<IEngine> OpenEngineAsync(string? folder, StoreOptions options, int valueBytes) =>
        new BlobEngine(await OpenAsync(folder, options), valueBytes);

    [SingleReader]
    private static void Get(long key, Scratch input, ReadOnlySpan<byte> value, out long output)
    {
        value.CopyTo(input.Bytes);
        output = MemoryMarshal.Read<long>(input.Bytes);
    }

    [InitialUpdater]
    private static void Start(long key, Scratch input, IBufferWriter<byte> value)
    {
        Span<byte> bytes = value.GetSpan(input.Bytes.Length)[..input.Bytes.Length];
        bytes.Clear();
        MemoryMarshal.Write(bytes, 1L);
        value.Advance(bytes.Length);
    }

    [InPlaceUpdater]
    private static bool Add(long key, Scratch input, ValueSlot value)
    {
        MemoryMarshal.Write(value.Bytes, MemoryMarshal.Read<long>(value.Bytes) + 1);
        return true;
    }

    [CopyUpdater]
    private static void Copy(long key, Scratch input, ReadOnlySpan<byte> old, IBufferWriter<byte> value)
    {
        Span<byte> bytes = value.GetSpan(old.Length)[..old.Length];
        old.CopyTo(bytes);
        MemoryMarshal.Write(bytes, MemoryMarshal.Read<long>(old) + 1);
        value.Advance(bytes.Length);
    }

    [CompletionCallback]
    private static void Done(Status status, ReadSink? sink, long output, Exception? error) =>
        sink?.End(status, output, error);
}
