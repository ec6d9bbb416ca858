using System.Runtime.InteropServices;
using Faster.Devices.IOUring;

namespace Faster.Tests.Devices.IOUring;

/// <summary>Sizes and offsets as the kernel's header has them.</summary>
public sealed class RingLayoutTests
{
    [Fact]
    public unsafe void Structures_are_as_large_as_the_kernels()
    {
        Assert.Equal(40, sizeof(SubmissionOffsets));
        Assert.Equal(40, sizeof(CompletionOffsets));
        Assert.Equal(120, sizeof(RingParameters));
        Assert.Equal(64, sizeof(SubmissionEntry));
        Assert.Equal(16, sizeof(CompletionEntry));
        Assert.Equal(24, sizeof(WaitArgument));
        Assert.Equal(16, sizeof(KernelTime));
        Assert.Equal(8, sizeof(ProbedOperation));
        Assert.Equal(16 + (8 * RingProbe.Capacity), sizeof(RingProbe));
    }

    [Theory]
    [InlineData(typeof(RingParameters), "SubmissionEntries", 0)]
    [InlineData(typeof(RingParameters), "CompletionEntries", 4)]
    [InlineData(typeof(RingParameters), "Flags", 8)]
    [InlineData(typeof(RingParameters), "Features", 20)]
    [InlineData(typeof(RingParameters), "Submissions", 40)]
    [InlineData(typeof(RingParameters), "Completions", 80)]
    [InlineData(typeof(SubmissionOffsets), "Tail", 4)]
    [InlineData(typeof(SubmissionOffsets), "Flags", 16)]
    [InlineData(typeof(SubmissionOffsets), "Array", 24)]
    [InlineData(typeof(CompletionOffsets), "Tail", 4)]
    [InlineData(typeof(CompletionOffsets), "Completions", 20)]
    [InlineData(typeof(SubmissionEntry), "Flags", 1)]
    [InlineData(typeof(SubmissionEntry), "File", 4)]
    [InlineData(typeof(SubmissionEntry), "Offset", 8)]
    [InlineData(typeof(SubmissionEntry), "Address", 16)]
    [InlineData(typeof(SubmissionEntry), "Length", 24)]
    [InlineData(typeof(SubmissionEntry), "TransferFlags", 28)]
    [InlineData(typeof(SubmissionEntry), "Tag", 32)]
    [InlineData(typeof(SubmissionEntry), "BufferIndex", 40)]
    [InlineData(typeof(CompletionEntry), "Tag", 0)]
    [InlineData(typeof(CompletionEntry), "Result", 8)]
    [InlineData(typeof(WaitArgument), "SignalMaskSize", 8)]
    [InlineData(typeof(WaitArgument), "Time", 16)]
    [InlineData(typeof(ProbedOperation), "Flags", 2)]
    [InlineData(typeof(RingProbe), "Operations", 16)]
    public void Fields_lie_where_the_kernel_looks_for_them(Type type, string field, int offset)
    {
        Assert.NotNull(type);
        Assert.Equal(offset, (int)Marshal.OffsetOf(type, field));
    }
}
