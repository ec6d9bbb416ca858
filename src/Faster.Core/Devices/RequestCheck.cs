using System.Numerics;

namespace Faster.Devices;

/// <summary>The contract of requests, which every device checks before it touches memory or disk.</summary>
/// <remarks>
/// Thread-safe: pure functions. The memory device is as strict as the disk, so that tests find errors of the caller.
/// </remarks>
internal static unsafe class RequestCheck
{
    /// <summary>The error of a request that violates the contract, or null.</summary>
    /// <param name="request">The request.</param>
    /// <param name="device">The device that received it.</param>
    public static StorageException? Find(IORequest request, Device device) =>
        Find(request, device.SectorSize, device.Name);

    /// <summary>The error of a request to a device with a sector size and a name, or null.</summary>
    public static StorageException? Find(IORequest request, int sectorSize, string name)
    {
        int mask = sectorSize - 1;
        string? reason = null;
        if (request.Length is <= 0 or > Device.MaxTransfer)
            reason = $"one transfer is 1 to {Device.MaxTransfer} bytes long. Split it.";
        else if (request.Offset < 0 || request.Offset > long.MaxValue - request.Length)
            reason = "the offset is negative or above the address space.";
        else if (request.Buffer == null)
            reason = "it has no buffer.";
        else if (((request.Offset | (long)(uint)request.Length | (long)request.Buffer) & mask) != 0)
            reason = $"offset, length and buffer must be multiples of the sector size, {sectorSize}.";
        return reason is null ? null : DeviceErrors.Refused(request, name, reason);
    }

    /// <summary>Throws unless a sector size is a power of two from 512 to 64 KiB.</summary>
    public static int SectorSize(int value) => BitOperations.IsPow2(value) && value is >= 512 and <= 65536
        ? value
        : throw new ArgumentOutOfRangeException(nameof(value), value, "A sector is 512, 1024, … 65536 bytes.");
}
