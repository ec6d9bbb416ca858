using System.Numerics;
using System.Runtime.InteropServices;

namespace Faster.Workload;

/// <summary>The keys that one thread uses, drawn before the run so that drawing costs the run nothing.</summary>
/// <remarks>
/// A key to read is stored as it is, a key to update as its complement, which is negative. Two keys are drawn for each
/// that is loaded, up to a limit, and the stream then repeats: it is long enough that no cache keeps what a repetition
/// touches. Unsynchronized: used by one thread.
/// </remarks>
internal class KeyStream(int[] drawn)
{
    /// <summary>How many keys a thread takes at a time; the clock is looked at in between.</summary>
    public const int ChunkLength = 1024;

    /// <summary>The length of the longest stream.</summary>
    public const int GreatestLength = 1 << 24;

    private const int MinLength = 1 << 16;

    private readonly long[] _chunk = new long[ChunkLength];
    private int _next;

    /// <summary>What was drawn: the operations in their order, once.</summary>
    public ReadOnlySpan<int> Drawn => drawn;

    /// <summary>The same, for another stream of the same operations.</summary>
    public int[] DrawnArray => drawn;

    /// <summary>How many times the stream has begun again.</summary>
    protected long Laps { get; private set; }

    /// <summary>The length of a stream for so many keys.</summary>
    public static int LengthFor(int keys) =>
        (int)Math.Clamp(2L * keys, MinLength, GreatestLength) / ChunkLength * ChunkLength;

    /// <summary>A length in whole chunks, at least one.</summary>
    public static int LengthOfChunks(int length) => Math.Max(1, length / ChunkLength) * ChunkLength;

    /// <summary>The next chunk of keys, valid until the next call.</summary>
    public ReadOnlySpan<long> Take() => Take(ChunkLength);

    /// <summary>The next keys, as many as asked for or fewer, but at least one; valid until the next call.</summary>
    public ReadOnlySpan<long> Take(int count)
    {
        if (_next == drawn.Length)
        {
            _next = 0;
            Laps++;
        }

        int length = Math.Min(Math.Min(count, ChunkLength), drawn.Length - _next);
        Span<long> chunk = _chunk.AsSpan(0, length);
        Widen(drawn.AsSpan(_next, length), chunk);
        _next += length;
        return chunk;
    }

    /// <summary>
    /// Gives a chunk of what was drawn the form that workers take: in cache, a few keys an instruction.
    /// </summary>
    protected virtual void Widen(ReadOnlySpan<int> from, Span<long> to)
    {
        ReadOnlySpan<Vector<int>> vectors = MemoryMarshal.Cast<int, Vector<int>>(from);
        Span<Vector<long>> wide = MemoryMarshal.Cast<long, Vector<long>>(to);
        for (int v = 0; v < vectors.Length; v++)
            Vector.Widen(vectors[v], out wide[2 * v], out wide[(2 * v) + 1]);
        for (int i = vectors.Length * Vector<int>.Count; i < from.Length; i++)
            to[i] = from[i];
    }
}
