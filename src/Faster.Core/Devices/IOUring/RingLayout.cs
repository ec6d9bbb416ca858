using System.Runtime.InteropServices;

namespace Faster.Devices.IOUring;

/// <summary>
/// The kernel's structures and numbers for io_uring that the device uses, as in include/uapi/linux/io_uring.h.
/// </summary>
/// <remarks>They are the same on every processor; a test checks each size and offset.</remarks>
internal static class RingLayout
{
    // System calls.
    public const int SetupCall = 425, EnterCall = 426, RegisterCall = 427;

    // io_uring_setup: flags.
    public const uint SetupSizedCompletions = 1 << 3, SetupClamp = 1 << 4;
    public const uint SetupCooperative = 1 << 8, SetupWorkFlag = 1 << 9; // COOP_TASKRUN, TASKRUN_FLAG

    // io_uring_setup: features.
    public const uint FeatureSingleMap = 1 << 0, FeatureNoDrop = 1 << 1, FeatureWaitArgument = 1 << 8;

    // io_uring_enter: flags.
    public const uint EnterWait = 1 << 0, EnterWaitArgument = 1 << 3; // GETEVENTS, EXT_ARG

    // io_uring_register: what.
    public const uint RegisterFiles = 2, RegisterProbe = 8;

    // The offsets at which the parts of a ring are mapped.
    public const long RingsAt = 0, EntriesAt = 0x10000000;

    // Submissions: operations and flags.
    public const byte Nothing = 0, Read = 22, Write = 23;
    public const byte OnWorker = 1 << 4; // IOSQE_ASYNC: where blocking is allowed

    // The submission ring's word of flags.
    public const uint CompletionsOverflowed = 1 << 1, WorkWaits = 1 << 2;

    // The flag of a probed operation.
    public const ushort OperationSupported = 1 << 0;
}

/// <summary>struct io_sqring_offsets: the offset of each word of the submission ring in the mapped ring.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct SubmissionOffsets
{
    public uint Head, Tail, Mask, Entries, Flags, Dropped, Array, Reserved;
    public ulong UserAddress;
}

/// <summary>struct io_cqring_offsets: the same for the completion ring.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct CompletionOffsets
{
    public uint Head, Tail, Mask, Entries, Overflow, Completions, Flags, Reserved;
    public ulong UserAddress;
}

/// <summary>struct io_uring_params: the requested and the actual properties of a ring.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct RingParameters
{
    public uint SubmissionEntries, CompletionEntries, Flags, ThreadProcessor, ThreadIdle, Features, WorkQueueFile;
    public uint Reserved0, Reserved1, Reserved2;
    public SubmissionOffsets Submissions;
    public CompletionOffsets Completions;
}

/// <summary>struct io_uring_sqe: one request.</summary>
[StructLayout(LayoutKind.Sequential, Size = 64)]
internal struct SubmissionEntry
{
    public byte Operation, Flags;
    public ushort Priority;
    public int File;
    public ulong Offset, Address;
    public uint Length, TransferFlags;
    public ulong Tag;
    public ushort BufferIndex, Personality;
    public int FileIndex;
}

/// <summary>struct io_uring_cqe: one result.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct CompletionEntry
{
    public ulong Tag;
    public int Result;
    public uint Flags;
}

/// <summary>struct io_uring_getevents_arg: the maximum time of a wait.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct WaitArgument
{
    public ulong SignalMask;
    public uint SignalMaskSize, MinMicroseconds;
    public ulong Time;
}

/// <summary>struct __kernel_timespec.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct KernelTime
{
    public long Seconds, Nanoseconds;
}

/// <summary>struct io_uring_probe_op: what the kernel supports of an operation.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ProbedOperation
{
    public byte Operation, Reserved;
    public ushort Flags;
    public uint Reserved2;
}

/// <summary>struct io_uring_probe with space for the operations that the device queries.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct RingProbe
{
    public const int Capacity = RingLayout.Write + 1;

    public byte Last, Count;
    public ushort Reserved;
    public uint Reserved0, Reserved1, Reserved2;
    public ProbedOperations Operations;

    [System.Runtime.CompilerServices.InlineArray(Capacity)]
    public struct ProbedOperations
    {
        private ProbedOperation _first;
    }
}
