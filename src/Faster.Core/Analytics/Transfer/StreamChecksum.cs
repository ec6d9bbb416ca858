using Faster.Memory;

namespace Faster.Analytics.Transfer;

/// <summary>The CRC-32C of all bytes of a stream so far, however they are divided. Not thread-safe.</summary>
internal struct StreamChecksum()
{
    private uint _crc = uint.MaxValue;

    /// <summary>The checksum of the bytes added so far.</summary>
    public readonly uint Value => ~_crc;

    /// <summary>Adds bytes to the checksum.</summary>
    public void Add(ReadOnlySpan<byte> bytes) => _crc = Crc32C.Add(_crc, bytes);
}
