using System.Buffers;
using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>The keys or values of a batch, encoded one after another.</summary>
/// <remarks>
/// Not thread-safe: it lives on the stack of a batched call. Write an item into <see cref="Buffer"/>, then call
/// <see cref="EndItem"/>.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct EncodedBatch
{
    private readonly ScratchBuffer _scratch;
    private readonly int[] _ends; // the number of items, then where each ends

    /// <summary>Creates a batch with space for <paramref name="count"/> items.</summary>
    public EncodedBatch(int count)
    {
        _scratch = ScratchBuffer.Rent();
        _ends = ArrayPool<int>.Shared.Rent(count + 1);
        _ends[0] = 0;
    }

    /// <summary>The buffer that receives the next item.</summary>
    public ValueBuffer Buffer => _scratch.Buffer;

    /// <summary>
    /// The bytes of one item, available once all items are written. Valid until <see cref="Dispose"/>.
    /// </summary>
    public ReadOnlyMemory<byte> this[int index]
    {
        get
        {
            int begin = index == 0 ? 0 : _ends[index];
            return Buffer.WrittenMemory[begin.._ends[index + 1]];
        }
    }

    /// <summary>Ends an item: the bytes written since the previous call.</summary>
    public void EndItem() => _ends[++_ends[0]] = Buffer.Written.Length;

    /// <summary>Returns the rented memory.</summary>
    public void Dispose()
    {
        if (_ends is null) return;
        ArrayPool<int>.Shared.Return(_ends);
        _scratch.Dispose();
    }
}
