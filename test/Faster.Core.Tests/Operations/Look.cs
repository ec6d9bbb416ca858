namespace Faster.Tests.Operations;

/// <summary>What came of a read that may have waited for the disk.</summary>
internal sealed class Look
{
    public Status? Status { get; set; }

    public long Value { get; set; }
}
