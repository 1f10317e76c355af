<?xml version="1.0" encoding="utf-8"?>
<!-- The parts of a DOCX as a page of HTML; used by docx_text.py, which accepts the tracked changes before. Comments and hidden
     text are left out, as a printed page leaves them out. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"
    xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml"
    exclude-result-prefixes="w m a v">
  <xsl:output method="html" encoding="utf-8" indent="no"/>
  <xsl:key name="style" match="w:style" use="@w:styleId"/>
  <xsl:key name="layout" match="w:tbl[.//w:tbl]" use="generate-id()"/>
  <xsl:key name="footnoteReference" match="w:footnote" use="@w:id"/>
  <xsl:key name="endnoteReference" match="w:endnote" use="@w:id"/>

  <xsl:template match="/"><html><body><xsl:apply-templates select="*/w:hdr | */w:document | */w:ftr"/></body></html></xsl:template>
  <xsl:template match="w:hdr | w:document | w:ftr"><div><xsl:apply-templates/></div></xsl:template>
  <xsl:template match="text()"/>

  <!-- Paragraphs. Text boxes and notes stand behind the one that they belong to. -->
  <xsl:template match="w:p | a:p">
    <xsl:variable name="here" select="generate-id()"/>
    <xsl:variable name="tag"><xsl:apply-templates select="." mode="tag"/></xsl:variable>
    <xsl:variable name="before"><xsl:apply-templates select="preceding-sibling::*[1]" mode="tag"/></xsl:variable>
    <xsl:choose>
      <xsl:when test="$tag = 'li' and $before != 'li'"><ul><li><xsl:apply-templates/></li></ul></xsl:when>
      <xsl:otherwise><xsl:element name="{$tag}"><xsl:apply-templates/></xsl:element></xsl:otherwise>
    </xsl:choose>
    <xsl:apply-templates mode="behind" select="(.//w:txbxContent | .//w:footnoteReference | .//w:endnoteReference)
        [generate-id(ancestor::w:p[1]) = $here]"/>
  </xsl:template>
  <xsl:template match="*" mode="tag">
    <xsl:variable name="name" select="key('style', w:pPr/w:pStyle/@w:val)/w:name/@w:val"/>
    <xsl:variable name="word" select="translate(substring-before($name, ' '), 'ABCDEFGHIKLNOPRSTUWÓÜŁÍ', 'abcdefghiklnoprstuwóüłí')"/>
    <xsl:variable name="level" select="number(substring(substring-after($name, ' '), 1, 1))"/>
    <xsl:choose>
      <xsl:when test="$level &gt; 0 and contains(' heading überschrift nagłówek titre título ', concat(' ', $word, ' '))">
        <xsl:value-of select="concat('h', $level)"/>
      </xsl:when>
      <xsl:when test="$name = 'Title'">h1</xsl:when>
      <xsl:when test="(starts-with($name, 'List') or w:pPr/w:numPr) and (.//w:t or .//m:t)">li</xsl:when>
      <xsl:otherwise>p</xsl:otherwise>
    </xsl:choose>
  </xsl:template>
  <xsl:template match="w:txbxContent"/>
  <xsl:template match="w:txbxContent[not(ancestor::w:p)]"><div><xsl:apply-templates/></div></xsl:template>
  <xsl:template match="w:txbxContent" mode="behind"><div><xsl:apply-templates/></div></xsl:template>
  <xsl:template match="w:footnoteReference | w:endnoteReference" mode="behind">
    <xsl:if test="not(ancestor::w:tc)"><xsl:apply-templates select="key(local-name(), @w:id)/*"/></xsl:if>
  </xsl:template>
  <xsl:template match="w:footnoteReference | w:endnoteReference">
    <xsl:if test="ancestor::w:tc">
      <xsl:variable name="note">
        <xsl:for-each select="key(local-name(), @w:id)//w:p"><xsl:apply-templates/><xsl:text> </xsl:text></xsl:for-each>
      </xsl:variable>
      <xsl:value-of select="concat(' (', normalize-space($note), ')')"/>
    </xsl:if>
  </xsl:template>
  <xsl:template priority="1" match="w:footnote//w:footnoteReference | w:endnote//w:footnoteReference | w:endnote//w:endnoteReference"/>
  <xsl:template priority="1" mode="behind"
      match="w:footnote//w:footnoteReference | w:endnote//w:footnoteReference | w:endnote//w:endnoteReference"/>

  <!-- Tables. A row with a table inside is layout: its cells are read as blocks. -->
  <xsl:template match="w:tbl | a:tbl"><table><xsl:apply-templates/></table></xsl:template>
  <xsl:template match="w:tr | a:tr" name="row">
    <tr><xsl:apply-templates mode="before" select="w:trPr/w:gridBefore"/><xsl:apply-templates/></tr>
  </xsl:template>
  <xsl:template match="w:gridBefore" mode="before" name="cells">
    <xsl:param name="count" select="@w:val[. &lt; 64]"/>
    <xsl:if test="$count &gt; 0">
      <td/>
      <xsl:call-template name="cells"><xsl:with-param name="count" select="$count - 1"/></xsl:call-template>
    </xsl:if>
  </xsl:template>
  <xsl:template match="w:tc | a:tc"><td><xsl:apply-templates/></td></xsl:template>
  <xsl:template match="w:tbl[key('layout', generate-id())]" priority="1"><xsl:apply-templates/></xsl:template>
  <xsl:template match="w:tbl[key('layout', generate-id())]/w:tr" priority="1"><table><xsl:call-template name="row"/></table></xsl:template>
  <xsl:template match="w:tr[.//w:tbl]" priority="2"><xsl:apply-templates/></xsl:template>
  <xsl:template match="w:tr[.//w:tbl]/w:tc" priority="2"><div><xsl:apply-templates/></div></xsl:template>

  <!-- Words. What HTML hides is counted as left out. -->
  <xsl:template match="w:r">
    <xsl:variable name="styles" select="key('style', w:rPr/w:rStyle/@w:val | ancestor::w:p[1]/*[1]/self::w:pPr/w:pStyle/@w:val)"/>
    <xsl:variable name="hidden" select="w:rPr/w:vanish | $styles[not(current()/w:rPr/w:vanish)]/w:rPr/w:vanish"/>
    <xsl:choose>
      <xsl:when test="$hidden[not(@w:val = '0' or @w:val = 'false' or @w:val = 'off')]">
        <del hidden=""><xsl:apply-templates/></del>
      </xsl:when>
      <xsl:when test="w:rPr/w:vertAlign/@w:val = 'superscript' and w:t"><sup><xsl:apply-templates/></sup></xsl:when>
      <xsl:otherwise><xsl:apply-templates/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
  <xsl:template match="w:t | w:sym | a:t | m:t"><xsl:value-of select="."/></xsl:template>
  <xsl:template match="v:textpath"><xsl:value-of select="@string"/></xsl:template>
  <xsl:template match="w:tab | w:ptab"><xsl:text> </xsl:text></xsl:template>
  <xsl:template match="w:pPr | w:rPr"/>
  <xsl:template match="w:br | w:cr | a:br"><br/></xsl:template>
  <xsl:template match="w:noBreakHyphen">-</xsl:template>
  <xsl:template match="w:ruby">
    <ruby><xsl:apply-templates select="w:rubyBase"/><rt><xsl:apply-templates select="w:rt"/></rt></ruby>
  </xsl:template>
  <xsl:template match="w:ffData">
    <xsl:variable name="ticked" select="(w:checkBox/w:checked | w:checkBox[not(w:checked)]/w:default)"/>
    <xsl:if test="w:checkBox">
      <xsl:value-of select="substring('☐☒', 1 + boolean($ticked[not(@w:val = '0' or @w:val = 'false')]), 1)"/>
    </xsl:if>
    <xsl:value-of select="w:ddList/w:listEntry[position() = 1 + sum(../w:result/@w:val)]/@w:val"/>
  </xsl:template>

  <!-- Formulas in a line, such as x^2, (a+b)/2 and √(x). -->
  <xsl:template match="m:sub | m:lim | m:sup | m:deg | m:num | m:den | m:sSub/m:e | m:sSup/m:e | m:sSubSup/m:e | m:rad/m:e">
    <xsl:variable name="text"><xsl:apply-templates/></xsl:variable>
    <xsl:choose>
      <xsl:when test="$text = ''"/>
      <xsl:when test="self::m:sub | self::m:lim">_</xsl:when>
      <xsl:when test="self::m:sup | self::m:deg">^</xsl:when>
      <xsl:when test="self::m:den">/</xsl:when>
      <xsl:when test="parent::m:rad">√</xsl:when>
    </xsl:choose>
    <xsl:choose>
      <xsl:when test="translate($text, ' +-−±*/=,;:·×^_|()&lt;>≤≥≠≈→∈', '') = $text"><xsl:value-of select="$text"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="concat('(', $text, ')')"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
  <xsl:template match="m:nary">
    <xsl:value-of select="m:naryPr/m:chr/@m:val"/>
    <xsl:if test="not(m:naryPr/m:chr)">∫</xsl:if>
    <xsl:apply-templates/>
  </xsl:template>
  <xsl:template match="m:nary/m:e | m:func/m:e"><xsl:text> </xsl:text><xsl:apply-templates/></xsl:template>
  <xsl:template match="m:acc">
    <xsl:apply-templates/><xsl:value-of select="m:accPr/m:chr/@m:val"/><xsl:if test="not(m:accPr/m:chr)">&#x302;</xsl:if>
  </xsl:template>
  <xsl:template match="m:d">
    <xsl:value-of select="m:dPr/m:begChr/@m:val"/><xsl:if test="not(m:dPr/m:begChr)">(</xsl:if>
    <xsl:apply-templates/>
    <xsl:value-of select="m:dPr/m:endChr/@m:val"/><xsl:if test="not(m:dPr/m:endChr)">)</xsl:if>
  </xsl:template>
  <xsl:template match="m:d/m:e[position() &gt; 1]">
    <xsl:value-of select="../m:dPr/m:sepChr/@m:val"/><xsl:if test="not(../m:dPr/m:sepChr)">|</xsl:if>
    <xsl:apply-templates/>
  </xsl:template>
  <xsl:template match="m:mr[position() &gt; 1] | m:eqArr/m:e[position() &gt; 1]">; <xsl:apply-templates/></xsl:template>
  <xsl:template match="m:mr/m:e[position() &gt; 1]">, <xsl:apply-templates/></xsl:template>
</xsl:stylesheet>
