namespace Faster.Tests.Memory;

/// <summary>A test of what only Linux shows.</summary>
internal sealed class LinuxFactAttribute : FactAttribute
{
    public LinuxFactAttribute()
    {
        if (!OperatingSystem.IsLinux()) Skip = "Needs Linux: mincore.";
    }
}
