using System.Buffers;

namespace Faster.Contracts;

/// <summary>The keys or values of a batch, encoded one behind the other.</summary>
/// <remarks>
/// Not thread-safe: it lives on the stack of a batched call. Write an item into <see cref="Buffer"/>, then end it.
/// </remarks>
public readonly ref struct EncodedBatch
{
    private readonly ScratchBuffer _scratch;
    private readonly int[] _ends; // the number of items, then where each ends

    /// <summary>Makes room for so many items.</summary>
    public EncodedBatch(int count)
    {
        _scratch = ScratchBuffer.Rent();
        _ends = ArrayPool<int>.Shared.Rent(count + 1);
        _ends[0] = 0;
    }

    /// <summary>Where the next item is written to.</summary>
    public ValueBuffer Buffer => _scratch.Buffer;

    /// <summary>The bytes of one item, once all are written. Valid until dispose.</summary>
    public ReadOnlyMemory<byte> this[int index]
    {
        get
        {
            int begin = index == 0 ? 0 : _ends[index];
            return Buffer.WrittenMemory[begin.._ends[index + 1]];
        }
    }

    /// <summary>What was written since the last item is one item.</summary>
    public void EndItem() => _ends[++_ends[0]] = Buffer.Written.Length;

    /// <summary>Gives the room back.</summary>
    public void Dispose()
    {
        if (_ends is null) return;
        ArrayPool<int>.Shared.Return(_ends);
        _scratch.Dispose();
    }
}
