using System.Buffers.Binary;

namespace CountStore.Input;

/// <summary>Cuts binary numbers of 4 or 8 bytes; the keys are 64-bit numbers in the machine's byte order.</summary>
internal sealed class NumberParser(int width, bool bigEndian) : KeyParser
{
    private readonly byte[] _begun = new byte[width];
    private int _begunLength;

    /// <inheritdoc/>
    public override int Parse(ReadOnlySpan<byte> block, KeyBatch batch)
    {
        int at = 0;
        while (!batch.IsFull)
        {
            if (_begunLength == 0 && block.Length - at >= width)
            {
                Add(block.Slice(at, width), batch);
                at += width;
                continue;
            }

            int taken = Math.Min(width - _begunLength, block.Length - at);
            block.Slice(at, taken).CopyTo(_begun.AsSpan(_begunLength));
            _begunLength += taken;
            at += taken;
            if (_begunLength < width) break;
            Add(_begun, batch);
            _begunLength = 0;
        }

        return at;
    }

    /// <inheritdoc/>
    public override void End(KeyBatch batch)
    {
        if (_begunLength == 0) return;
        int left = _begunLength;
        _begunLength = 0;
        throw new InputException(
            $"The input ends within a number: {left} bytes are left over after the last {width} bytes. Check "
                + $"--format.");
    }

    private void Add(ReadOnlySpan<byte> bytes, KeyBatch batch)
    {
        ulong number = (width, bigEndian) switch
        {
            (4, false) => BinaryPrimitives.ReadUInt32LittleEndian(bytes),
            (4, true) => BinaryPrimitives.ReadUInt32BigEndian(bytes),
            _ => BinaryPrimitives.ReadUInt64BigEndian(bytes),
        };
        int start = batch.Length;
        BitConverter.TryWriteBytes(batch.Grow(sizeof(ulong)), number);
        batch.EndKey(start);
    }
}
