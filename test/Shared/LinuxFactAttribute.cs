namespace Faster.Testing;

/// <summary>A test that needs Linux: skipped elsewhere, with the reason.</summary>
public sealed class LinuxFactAttribute : FactAttribute
{
    /// <summary>Skips the test on other systems.</summary>
    /// <param name="needs">What the test needs of it.</param>
    public LinuxFactAttribute(string needs) => Skip = LinuxTheoryAttribute.ReasonOf(needs);
}

/// <summary>A theory that needs Linux: skipped elsewhere, with the reason.</summary>
public sealed class LinuxTheoryAttribute : TheoryAttribute
{
    /// <summary>Skips the test on other systems.</summary>
    /// <param name="needs">What the test needs of it.</param>
    public LinuxTheoryAttribute(string needs) => Skip = ReasonOf(needs);

    internal static string? ReasonOf(string needs) => OperatingSystem.IsLinux() ? null : $"Needs Linux: {needs}.";
}
